"""Russian roulette beyond the situations of its rule text: leaving, silence, bots, looks, menus."""

from typing import Any

import pytest

from app.display import TEXT_SETS, YELLOW
from app.games import boards, lobby, texts
from app.games.core import NOBODY, Actor, Key, RankingPage
from app.games.lobby import Kick, Leave, SetOptions
from app.games.roulette import rules
from app.games.roulette import words as r
from app.games.roulette.state import Play

from .cast import results
from .dice import ScriptedDice, SeededDice
from .driver import OWNER, Table

ABC = ("ann", "bob", "cid")


class Gun(Table):
    """A table of roulette with scripted dice."""

    dice: ScriptedDice

    @property
    def play(self) -> Play:
        play = self.match.play
        assert isinstance(play, Play)
        return play

    @property
    def view(self) -> Any:
        return self.public(RankingPage())

    @property
    def board(self) -> Any:
        return self.game.board(self.view, self.theme, TEXT_SETS)

    def text(self, name: str) -> str:
        return " / ".join(row.strip() for row in self.board[name].rows if row.strip())

    def hud(self, name: str) -> list[str]:
        key = Key(name)
        private = self.game.private(self.match, key)
        return list(self.game.hud(self.view, private, self.theme).text.split("\n"))

    def pull(self, name: str, roll: int, *then: str) -> list[Any]:
        self.dice.then(gun=[roll], pick=then)
        return self.do(name, r.Pull())

    def passes(self, name: str, then: str) -> None:
        self.dice.then(pick=[then])
        self.do(name, r.Pass())


def loaded(*names: str, first: str, **options: Any) -> Gun:
    """A match that has just begun, with `first` in turn."""
    table = Gun(ScriptedDice(pick=[first]), game="roulette", **options)
    table.sit(*names)
    table.begin()
    return table


def at_one(*names: str, first: str, holder: str, **options: Any) -> Gun:
    """`first` must steal: the chamber stands at 1 and only `holder` has a pass."""
    table = loaded(*names, "zoe", first="zoe", **options)
    for name in names:
        if name != holder:
            _put(table, r.Passed(Key(name), forced=False))
    _put(table, r.Chamber(6, 1, "decrease"))
    table.dice.then(pick=[first])
    table.do("zoe", Leave())
    assert table.play.must_steal
    return table


def _put(table: Gun, event: Any) -> None:
    table.match = table.game.evolve(table.match, event)


# ---- leaving and silence --------------------------------------------------------------------


def test_when_the_last_pass_leaves_who_had_to_steal_it_is_out() -> None:
    table = at_one(*ABC, "dot", first="ann", holder="bob")
    table.dice.then(pick=["cid"])
    told = table.do("bob", Leave())
    assert r.Eliminated(Key("ann"), "chamberOne") in told
    assert table.play.alive == ("cid", "dot")
    assert (table.play.phase, table.play.chamber, table.play.turn) == ("finals", 6, "cid")


def test_while_another_pass_is_left_who_had_to_steal_still_has_to() -> None:
    table = at_one(*ABC, first="ann", holder="bob")
    _put(table, r.Chamber(1, 1, "reset"))
    table.do("cid", Leave())
    assert table.play.must_steal
    assert table.play.holders == ("bob",)


def test_who_is_in_turn_and_leaves_is_followed_by_the_next_one_drawn() -> None:
    table = loaded(*ABC, "dot", first="ann")
    table.dice.then(pick=["dot"])
    table.do("ann", Leave())
    assert (table.play.turn, table.play.chamber) == ("dot", 6)
    assert table.refused("ann", Leave()) == "already_out"


def test_leaving_is_a_loss_and_being_kicked_is_no_record() -> None:
    table = loaded(*ABC, "dot", first="ann")
    table.do("bob", Leave())
    table.do(OWNER, Kick(Key("cid")))
    assert results(table) == {"bob": False}
    assert table.told(r.Eliminated) == [
        r.Eliminated(Key("bob"), "left"),
        r.Eliminated(Key("cid"), "left"),
    ]


def test_the_server_pulls_for_whom_stays_silent() -> None:
    table = loaded(*ABC, first="ann")
    table.dice.then(gun=[2], pick=["bob"])
    table.wait(60)
    assert table.play.chamber == 5
    assert table.play.turn == "bob"
    assert "answer in time" in " ".join(table.heard())


def test_a_bot_takes_over_who_is_silent_twice_and_is_careful_with_the_seat() -> None:
    table = loaded("ann", "bob", first="ann")
    for name in ("ann", "bob"):
        table.dice.then(gun=[1])
        table.wait(60)
        assert not table.seat(name).auto
    table.dice.then(gun=[1])
    table.wait(60)
    assert table.seat("ann").auto
    assert rules.character(table.match, Key("ann")) == "careful"


def test_silence_puts_out_where_the_table_says_so() -> None:
    table = loaded(*ABC, first="ann", on_timeout="eliminate")
    table.dice.then(pick=["cid"])
    table.wait(60)
    assert table.told(r.Eliminated) == [r.Eliminated(Key("ann"), "timeout")]
    assert table.play.phase == "finals"
    assert results(table) == {"ann": False}


def test_a_match_in_which_nobody_acted_has_no_winner_in_the_ranking() -> None:
    table = loaded("ann", "bob", first="ann")
    table.do("bob", Leave())
    assert table.match.stage == "over"
    assert results(table) == {"bob": False}


def test_the_last_one_standing_wins_and_everybody_is_scored_once() -> None:
    table = loaded(*ABC, first="ann")
    table.pull("ann", 6, "bob")
    table.pull("bob", 1)
    table.pull("cid", 5)
    assert table.play.winner == "bob"
    assert results(table) == {"ann": False, "cid": False, "bob": True}
    table.wait(24)
    assert table.match.closed == "victory"
    assert set(table.reopened().match.invited) == set(ABC)


# ---- refusals -------------------------------------------------------------------------------


def test_every_refusal_says_why() -> None:
    table = loaded(*ABC, "dot", first="ann", quick_draw=True)
    assert table.reason("bob", r.Pull()) == "It is Ann's turn."
    assert "holds a pass" in table.reason("ann", r.Steal(Key("bob")))
    assert "another player" in table.reason("ann", r.QuickDraw(Key("ann")))
    table.dice.then(gun=[2])
    table.do("ann", r.QuickDraw(Key("bob")))
    for command in (r.Pass(), r.Steal(Key("bob")), r.QuickDraw(Key("cid"))):
        assert "must pull" in table.reason("ann", command)
    table.pull("ann", 5, "cid")
    assert "out of this game" in table.reason("ann", r.Pull())
    plain = loaded(*ABC, first="ann")
    assert "without Quick Draw" in plain.reason("ann", r.QuickDraw(Key("bob")))
    plain.passes("ann", "bob")
    plain.pull("bob", 1, "cid")
    plain.pull("cid", 1, "ann")
    assert "no pass any more" in plain.reason("ann", r.Pass())
    assert "no pass to steal" in plain.reason("ann", r.Steal(Key("ann")))


def test_who_must_steal_can_do_nothing_else() -> None:
    table = at_one(*ABC, first="ann", holder="bob", quick_draw=True)
    for command in (r.Pull(), r.Pass(), r.QuickDraw(Key("bob"))):
        assert "only try to steal" in table.reason("ann", command)
    assert "no pass to steal" in table.reason("ann", r.Steal(Key("cid")))


# ---- bots -----------------------------------------------------------------------------------


@pytest.mark.parametrize("bots", ["careful", "bold", "random", "mixed"])
@pytest.mark.parametrize("count", [2, 3, 12, 29])
def test_a_match_of_bots_ends_with_one_winner(bots: str, count: int) -> None:
    options = {"thieves": True, "quick_draw": True, "loose_trigger": True, "bots": bots}
    table = Gun(SeededDice(count), game="roulette", **options)
    table.bots(count)
    table.do(OWNER, lobby.Start())
    table.run_out()
    assert table.match.closed == "victory"
    assert len(table.play.alive) == 1
    assert results(table) == {}


def test_bots_by_turns_are_careful_bold_and_random() -> None:
    match = loaded(*ABC, first="ann").match
    seen = [rules.character(match, Key(f"bot:{n}")) for n in range(1, 7)]
    assert seen == ["careful", "bold", "random"] * 2


def test_a_bold_bot_shoots_first_and_a_careful_one_only_with_a_pass_and_much_room() -> None:
    for bots, wanted in (("bold", r.QuickDraw), ("careful", r.QuickDraw)):
        table = loaded(*ABC, first="ann", quick_draw=True, bots=bots)
        (wait,) = rules.waits(table.match)
        table.dice.then(target=["bob"])
        assert rules.act_for(table.match, wait, table.dice) == wanted(Key("bob"))
    _put(table, r.Chamber(6, 4, "decrease"))
    assert rules.act_for(table.match, wait, table.dice) == r.Pull()
    _put(table, r.Chamber(4, 3, "decrease"))
    assert rules.act_for(table.match, wait, table.dice) == r.Pass()


# ---- what is seen ---------------------------------------------------------------------------


def test_the_board_tells_of_click_and_bang_and_then_shows_the_chamber_again() -> None:
    table = loaded(*ABC, "dot", first="ann")
    assert table.board["TitleAction:0:0"].picture == "chamber_6"
    assert table.text("Status") == "CHAMBER 6 OF 6 / in turn: Ann"
    assert table.text("Dice") == "6 of 6 chambers, 1 bullet"
    table.pull("ann", 3, "bob")
    assert table.board["TitleAction:0:0"].picture == "click"
    assert table.text("Status") == "CLICK! / in turn: Bob"
    assert table.text("Dice") == "Ann: 3 of 6, click"
    table.wait(4)
    assert table.board["TitleAction:0:0"].picture == "chamber_5"
    table.pull("bob", 5, "cid")
    assert table.board["TitleAction:0:0"].picture == "bang"
    assert table.text("Status") == "BANG! Bob / in turn: Cid"
    assert table.text("Dice") == "Bob: 5 of 5, BANG"
    assert table.board["overlay:0:1"].picture == "overlay_x"
    assert table.board["profile:1:0"].color == YELLOW


def test_the_finals_are_shown_after_what_brought_them_about() -> None:
    table = loaded(*ABC, first="ann")
    table.pull("ann", 6, "bob")
    assert table.board["TitleAction:0:0"].picture == "bang"
    table.wait(4)
    assert table.board["TitleAction:0:0"].picture == "finals"
    table.wait(4)
    assert table.board["TitleAction:0:0"].picture == "chamber_6"


def test_a_pass_is_seen_in_hand_and_gone() -> None:
    table = loaded(*ABC, first="ann")
    assert table.board["life:0:0"].picture == "pass_held"
    table.passes("ann", "bob")
    assert table.board["life:0:0"].picture == "pass_used"
    assert table.board["TitleAction:0:0"].picture == "pass"
    assert table.hud("ann") == [
        "RUSSIAN ROULETTE",
        "Ann",
        "In turn: Bob",
        "Chamber 6 of 6: 1 in 6",
        "No pass",
    ]
    assert table.hud("bob")[2:] == ["🔫 YOUR TURN", "Chamber 6 of 6: 1 in 6", "🎫 Pass in hand"]


def test_a_duel_shows_both_rolls() -> None:
    table = at_one(*ABC, "dot", first="ann", holder="bob")
    table.dice.then(battle=[57, 80], pick=["cid"])
    table.do("ann", r.Steal(Key("bob")))
    assert table.board["TitleAction:0:0"].picture == "duel"
    assert table.text("Dice") == "Ann 57 : 80 Bob"


def test_a_large_cylinder_has_a_picture_too() -> None:
    table = loaded(*ABC, first="ann", chambers=50)
    assert table.board["TitleAction:0:0"].picture == "chamber_many"
    assert table.text("Status") == "CHAMBER 50 OF 50 / in turn: Ann"


def test_more_than_ten_are_shown_by_tens_around_the_one_in_turn() -> None:
    names = [f"p{n}" for n in range(25)]
    table = Gun(ScriptedDice(), game="roulette")
    table.sit(*names)
    assert "Seats 21–25 of 25 shown" in table.board["root"].text
    assert table.board["profile:2:0"].picture == "silhouette"
    assert table.board["profile:2:1"].alpha == 0
    table.dice.then(pick=["p13"])
    table.begin()
    assert "Seats 11–20 of 25 shown" in table.board["root"].text
    assert [n for n in range(10) if table.board[f"profile:{n // 2}:{n % 2}"].color == YELLOW] == [3]
    table.pull("p13", 2, "p0")
    assert "Seats 1–10 of 25 shown" in table.board["root"].text


def test_the_odds_of_the_shot_that_comes_are_public() -> None:
    table = loaded(*ABC, first="ann")
    assert [(c.what, c.share) for c in table.view.chances] == [
        ("the gun fires", pytest.approx(1 / 6)),
        ("click", pytest.approx(5 / 6)),
    ]
    assert at_one(*ABC, first="ann", holder="bob").view.chances == ()


def test_the_start_gives_credit_and_the_victory_has_a_line() -> None:
    table = loaded("ann", "bob", first="ann")
    assert "theme by Baloor" in " ".join(table.heard())
    table.pull("ann", 6)
    assert "🏆 Bob is the last one standing!" in table.heard()
    assert table.text("Status") == "LAST ONE STANDING / === Bob ==="


# ---- dialogs --------------------------------------------------------------------------------


def labels(table: Gun, who: str, name: str, page: int = 0) -> set[str]:
    return {b.label for b in table.shown(who, name, page).buttons}


def test_who_is_in_turn_is_asked_and_told_the_odds() -> None:
    table = loaded(*ABC, first="ann", quick_draw=True)
    assert (table.due("ann"), table.due("bob")) == ("turn", "")
    assert "1 in 6 (17 %)" in table.shown("ann", "turn").text
    assert labels(table, "ann", "turn") == {
        "🔫 Pull the trigger",
        "🎫 Use my pass",
        "🤠 Quick Draw",
        "Leave Game",
    }
    assert table.press("ann", "turn", "🤠 Quick Draw") == "quick_draw"
    assert labels(table, "ann", "quick_draw") == {"🎯 Bob", "🎯 Cid", "⬅️ Back"}
    table.dice.then(gun=[1])
    table.press("ann", "quick_draw", "🎯 Cid")
    assert labels(table, "ann", "turn") == {"🔫 Pull the trigger", "Leave Game"}
    assert table.dialog("ann", "quick_draw") is None


def test_a_forced_steal_asks_for_the_target_at_once() -> None:
    table = at_one(*ABC, first="ann", holder="bob")
    assert table.due("ann") == "steal"
    assert labels(table, "ann", "steal") == {"🧤 Bob", "Leave Game"}
    assert table.dialog("bob", "steal") is None


def test_twenty_nine_targets_come_by_pages() -> None:
    names = [f"p{n}" for n in range(30)]
    table = loaded(*names, first="p0", quick_draw=True)
    seen: set[str] = set()
    for page in range(4):
        seen |= {b.label for b in table.shown("p0", "quick_draw", page).buttons}
    assert {f"🎯 P{n}" for n in range(1, 30)} <= seen


def test_the_lobby_menu_of_thirty_still_shows_the_options() -> None:
    table = Gun(ScriptedDice(), game="roulette")
    for n in range(30):
        table.do(Actor(Key(f"k{n}"), f"Somebody with a rather long name {n}"), lobby.Join())
    text = table.shown(Actor(Key("k0")), "lobby").text
    assert "6 chambers, Thieves off, Quick Draw off" in text


# ---- the table's menu -----------------------------------------------------------------------


def test_the_owner_chooses_the_game_and_everybody_is_invited_to_it() -> None:
    table = Table()
    table.sit("ann", "bob")
    assert table.press(OWNER, "owner", "🎲 Choose Game") == "games"
    assert "Peril Dice" in table.shown(OWNER, "games").text
    table.press(OWNER, "games", "Russian Roulette")
    after = table.reopened()
    assert after.match.game == "roulette"
    assert set(after.match.invited) == {"ann", "bob"}
    assert after.match.seats == ()
    assert after.due("ann") == "rejoin"


def test_during_a_match_no_other_game_is_offered() -> None:
    table = loaded("ann", "bob", first="ann")
    dialog = table.shown(OWNER, "games")
    assert [b.label for b in dialog.buttons] == ["⬅️ Back to Main"]
    assert "when this one is over" in dialog.text


def test_chambers_are_typed_and_the_switches_pressed() -> None:
    table = Gun(ScriptedDice(), game="roulette")
    seen = {b.label for page in range(3) for b in table.shown(OWNER, "options", page).buttons}
    assert {"Chambers", "Thieves: on", "Quick Draw: on", "Loose Trigger: on"} <= seen
    assert {"Six Shooter", "Thieves' Den", "Wild West"} <= seen
    assert table.shown(OWNER, "chambers").typed
    table.do(OWNER, SetOptions(options={"chambers": 8}))
    assert table.match.options.chambers == 8
    for wrong in (1, 101, 6.5, "many"):
        assert table.refused(OWNER, SetOptions(options={"chambers": wrong})) == "bad_option"


def test_a_theme_that_this_game_has_not_is_its_classic_one() -> None:
    assert texts.load("roulette", "no_such_theme").say("hud", "title") == "RUSSIAN ROULETTE"


def test_nothing_is_said_to_one_alone_in_this_game() -> None:
    table = loaded(*ABC, first="ann")
    table.heard()
    table.pull("ann", 6, "bob")
    assert {listener for listener, _ in table.said} == {NOBODY}
    assert boards.SLOTS == 10
