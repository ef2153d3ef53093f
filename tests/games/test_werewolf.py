"""Werewolf beyond the written situations: whole matches, quiet days, absence, dialogs, letters."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from app import games
from app.display import TEXT_SETS
from app.games import GAMES, lobby, texts
from app.games.clock import CLOCK
from app.games.core import Actor, Event, Key, Match, RankingPage, Refusal
from app.games.werewolf import bots, events, rules
from app.games.werewolf import words as w
from app.games.werewolf.state import NIGHT, Play, Player
from app.table.timers import due_ms

from .dice import SeededDice
from .driver import OWNER, SERVICE, Table, time_up

GAME = GAMES["werewolf"]
NAMES = ("ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal", "ida", "jon", "kim", "lea")
MATCHES = 700
"""With bots of each character; a match takes some milliseconds."""


def village(*names: str, seed: int = 1, **options: Any) -> Table:
    """A match that has just begun with these people and bots in the other seats."""
    table = Table(SeededDice(seed), game="werewolf", **options)
    table.sit(*names)
    table.begin()
    return table


def play_of(table: Table) -> Play:
    play = table.match.play
    assert isinstance(play, Play)
    return play


def who(table: Table, role: str) -> Actor:
    """The (first) player of this role."""
    return Actor(next(p.key for p in play_of(table).players if p.role == role))


def of(table: Table, key: Key) -> Player:
    player = play_of(table).player(key)
    assert player is not None
    return player


def step_ends(table: Table) -> list[Event]:
    """The clock of the step comes to its end."""
    return table.do(SERVICE, time_up(next(t for t in table.timers if t.name == CLOCK)))


def until(table: Table, phase: str, day: int) -> None:
    for _ in range(60):
        if (play_of(table).phase, play_of(table).day) == (phase, day):
            return
        step_ends(table)
    raise AssertionError(f"never came to {phase} of {day}")


def everything(seed: int, **options: Any) -> Iterator[list[Event]]:
    """A whole match of bots, one list of events after the other, without a clock."""
    dice = SeededDice(seed)
    options = {"bots": "mixed", **options}
    opened = lobby.MatchOpened("werewolf", OWNER.key, options)
    yield [opened]
    match: Match[Any] = games.replay([opened])
    start: list[Event] = [lobby.Joined(Key("bot:1"), "Bot1", bot=True)]
    start.append(lobby.MatchStarted(OWNER.key))
    for event in start:
        match = games.evolve(match, event)
    start += rules.start(match, dice)
    match = games.replay([opened, *start])
    yield start
    while match.stage != "over":
        waiting = list(GAME.waits(match))
        assert waiting
        for wait in waiting:
            command = bots.act_for(match, wait, dice)
            answer = games.decide(match, Actor(wait.key), command, dice)
            assert not isinstance(answer, Refusal), f"{command}: {answer}"
            for event in answer:
                match = games.evolve(match, event)
            yield list(answer)
            if match.stage == "over" or any(isinstance(e, events.PhaseBegan) for e in answer):
                break


# ---- whole matches --------------------------------------------------------------------------


@pytest.mark.parametrize("character", ["mixed", "goal", "random"])
def test_every_match_has_exactly_one_winning_camp_whose_own_are_gone(character: str) -> None:
    camps: Counter[str] = Counter()
    for seed in range(MATCHES):
        told = [e for entry in everything(seed, bots=character) for e in entry]
        (won,) = [e for e in told if isinstance(e, events.Victory)]
        assert not isinstance(told[-1], events.PhaseBegan)
        camps[won.camp] += 1
        members = [r for r in won.roles if r.camp == won.camp]
        assert {r.player for r in members} == set(won.members)
        assert any(r.out or r.crazed for r in members)
        assert Counter(r.role for r in won.roles) == Counter(w.DECK)
    assert len(camps) >= 3
    assert camps["wolves"] > MATCHES / 7


def test_looking_at_once_who_has_won_finds_the_same_winner_as_looking_after_each_step() -> None:
    for seed in range(40):
        camps = set()
        for check in ("step", "atomic"):
            told = [e for entry in everything(seed, check=check) for e in entry]
            camps |= {e.camp for e in told if isinstance(e, events.Victory)}
        assert len(camps) == 1


def test_who_does_nothing_at_all_is_drawn_by_lot_until_somebody_has_won() -> None:
    for seed in range(6):
        told = [e for entry in everything(seed, bots="idle") for e in entry]
        lots = [e for e in told if isinstance(e, events.Lot)]
        assert lots
        assert isinstance(told[-1], events.Victory)
        warned = [e for e in told if isinstance(e, events.QuietDay) and e.lot_next]
        assert len(warned) == len(lots)


def test_with_the_lot_switched_off_it_is_still_drawn_when_nobody_takes_part_any_more() -> None:
    told = [e for entry in everything(3, bots="idle", stall_limit=0) for e in entry]
    assert any(isinstance(e, events.Lot) for e in told)


def test_a_match_of_people_who_are_away_comes_to_its_end_by_the_clock() -> None:
    table = village(*NAMES)
    table.run_out()
    assert table.match.closed == "victory"
    assert {s.key for s in table.match.seats if s.auto} == set(NAMES)


# ---- what everybody sees comes from what everybody may know ---------------------------------


def public_only(entry: list[Event]) -> list[Event]:
    return [e for e in entry if e.seen_by() is None]


@pytest.mark.parametrize("seed", range(8))
def test_the_public_view_is_made_of_public_events_alone(seed: int) -> None:
    """Whoever knows no secret computes the very same view, board and floaters at each moment."""
    theme = texts.load("werewolf")
    match: Match[Any] | None = None
    ignorant: Match[Any] | None = None
    for entry in everything(seed):
        for event in entry:
            match = games.evolve(match, event) if match else games.replay([event])
        for event in public_only(entry):
            ignorant = games.evolve(ignorant, event) if ignorant else games.replay([event])
        assert match is not None
        assert ignorant is not None
        seen, known = GAME.public(match, RankingPage()), GAME.public(ignorant, RankingPage())
        assert seen == known
        assert GAME.board(seen, theme, TEXT_SETS) == GAME.board(known, theme, TEXT_SETS)
        for seat in match.seats:
            floater = GAME.hud(seen, GAME.private(match, seat.key), theme)
            assert floater == GAME.hud(known, GAME.private(ignorant, seat.key), theme)


# ---- seats ----------------------------------------------------------------------------------


def test_bots_take_the_seats_that_are_left_under_names_that_are_free() -> None:
    table = Table(SeededDice(1), game="werewolf")
    table.do(Actor(Key("ann"), "Bot2"), lobby.Join())
    table.bots(1)
    table.begin()
    names = [s.name for s in table.match.seats]
    assert len(names) == len(set(names)) == 12
    assert sum(s.bot for s in table.match.seats) == 11
    assert Counter(p.role for p in play_of(table).players) == Counter(w.DECK)


def test_who_leaves_is_not_out_his_seat_does_nothing_and_he_may_come_back() -> None:
    table = village("ann", "bob")
    (left,) = table.do("ann", lobby.Leave())
    assert left == events.SeatLeft(Key("ann"), "left")
    assert Key("ann") in play_of(table).living
    assert table.seat("ann").auto
    assert table.refused("ann", lobby.Leave()) == "already_out"
    until(table, "day", 1)
    table.run(lambda: Key("ann") in play_of(table).votes)
    assert play_of(table).votes[Key("ann")] == ""
    table.do("ann", lobby.TakeBack())
    assert not table.seat("ann").auto
    assert not table.public().seats[0].gone


def test_who_is_removed_by_the_owner_stays_in_play_and_cannot_come_back() -> None:
    table = village("ann", "bob")
    table.do(OWNER, lobby.Kick(Key("ann")))
    assert Key("ann") in play_of(table).living
    assert table.refused("ann", lobby.TakeBack()) == "barred"
    assert table.refused("ann", w.Unveil()) == "barred"
    assert table.touch("ann") == Refusal("barred")


def test_days_in_a_row_without_a_vote_hand_the_seat_over() -> None:
    table = village(*NAMES, afk_limit=2, bots="idle")
    until(table, "n1", 1)
    assert not any(s.auto for s in table.match.seats)
    until(table, "day", 2)
    table.do("bob", w.Vote())
    until(table, "n1", 2)
    assert not table.seat("bob").auto
    assert table.seat("ann").auto


def test_results_are_counted_for_people_by_camp_and_role_and_a_leaver_has_lost() -> None:
    table = village("ann", "bob", "cid")
    table.do("bob", lobby.Leave())
    table.do(OWNER, lobby.Kick(Key("cid")))
    table.run(lambda: table.match.stage == "over")
    scored = {s.key: s for s in table.told(lobby.Scored)}
    assert set(scored) == {"ann", "bob"}
    assert not scored[Key("bob")].won
    ann = of(table, Key("ann"))
    assert scored[Key("ann")].detail == f"{ann.role}/{ann.camp}"
    (won,) = table.told(events.Victory)
    assert scored[Key("ann")].won == (ann.camp == won.camp)


# ---- the clock ------------------------------------------------------------------------------


def test_a_step_of_the_night_ends_early_only_when_all_who_are_in_are_done() -> None:
    table = village(*NAMES)
    for name in NAMES[:-1]:
        assert table.do(name, w.Rest()) == [events.Rested(Key(name))]
        assert play_of(table).phase == "night0"
    assert any(isinstance(e, events.PhaseBegan) for e in table.do(NAMES[-1], w.Rest()))
    assert play_of(table).phase == "day"


def test_all_clocks_of_a_phase_are_the_same_whoever_is_out() -> None:
    table = village(*NAMES, night_s=50)
    lasts = {}
    while table.match.stage == "playing" and play_of(table).day < 6:
        lasts.setdefault(play_of(table).phase, set()).add(
            next(t.after_s for t in table.timers if t.name == CLOCK)
        )
        step_ends(table)
    assert all(lasts[phase] == {50} for phase in NIGHT)
    assert lasts["day"] == {300}


def test_a_day_ends_with_the_last_vote_where_the_table_plays_so() -> None:
    quick, slow = village(*NAMES), village(*NAMES, day_early=False)
    for table in (quick, slow):
        until(table, "day", 1)
        for name in NAMES:
            table.do(name, w.Vote(Key("ann")))
    assert (play_of(quick).phase, play_of(slow).phase) == ("n1", "day")
    assert play_of(quick).sheriff == "ann"


def test_by_the_calendar_a_day_ends_at_the_second_evening_however_often_it_is_interrupted() -> None:
    table = village(*NAMES, days="calendar", utc_offset=8)
    until(table, "day", 1)
    (clock,) = [t for t in table.timers if t.name == CLOCK]
    noon = 1_750_000_000_000 // 86_400_000 * 86_400_000 + 12 * 3_600_000
    assert due_ms(clock, noon) - noon == 1.5 * 3_600_000  # 13:30 UTC is 21:30 there
    assert due_ms(clock, noon + 2 * 3_600_000) == noon + 25.5 * 3_600_000
    table.do(SERVICE, lobby.Freeze("restart"))
    table.do(SERVICE, lobby.Thaw())
    table.do("ann", w.Vote(Key("bob")))
    assert step_ends(table) == [events.EveningCame(1)]
    assert play_of(table).votes == {"ann": "bob"}
    table.do(SERVICE, lobby.Freeze("restart"))
    table.do(SERVICE, lobby.Thaw())
    step_ends(table)
    assert play_of(table).phase == "n1"


# ---- dialogs --------------------------------------------------------------------------------


def test_in_each_step_of_the_night_everybody_who_is_in_is_asked_in_the_same_form() -> None:
    table = village(*NAMES, seed=4, afk_limit=10)
    for _ in range(14):
        play = play_of(table)
        asked = {name: table.due(name) for name in NAMES}
        if play.phase in NIGHT:
            living = {name for name in NAMES if Key(name) in play.living}
            assert {n for n, due in asked.items() if due == "act"} == living
            for name in living:
                dialog = table.shown(name, "act")
                labels = [b.label for b in dialog.buttons]
                assert "✅ Done" in labels
                assert len(labels) >= 3
        step_ends(table)


def test_all_twelve_and_nobody_can_be_chosen_over_two_pages() -> None:
    table = village(*NAMES)
    until(table, "n1", 1)
    guard = who(table, "guard")
    found = set()
    for page in (0, 1):
        found |= {b.label for b in table.shown(guard, "act", page).buttons}
    assert {table.match.name(Key(n)) for n in NAMES} <= found
    assert "✖ Nobody here" in found


def test_the_guard_chooses_both_in_two_dialogs_and_may_change_his_mind() -> None:
    table = village(*NAMES)
    until(table, "n1", 1)
    guard = who(table, "guard")
    then = table.press(guard, "act", "Ann")
    assert table.match.play == play_of(table)
    assert not play_of(table).chosen
    then = table.press(guard, then, "Bob")
    assert play_of(table).chosen == {"protect": (Key("ann"),), "soundproof": (Key("bob"),)}
    assert then == ""
    table.do(guard, w.Protect(Key("cid")))
    step_ends(table)
    assert (play_of(table).protect, play_of(table).soundproof) == ("cid", "bob")


def test_who_has_nothing_to_do_notes_somebody_which_does_nothing() -> None:
    table = village(*NAMES)
    until(table, "n1", 1)
    villager = who(table, "villager")
    target = next(b for b in table.shown(villager, "act").buttons if b.command is not None)
    before = play_of(table)
    table.do(villager, target.command)  # type: ignore[arg-type]
    after = play_of(table)
    assert after.with_all(note=Key(""), done=False) == before


def test_a_card_shows_its_owner_what_he_knows_and_nobody_else_does() -> None:
    table = village(*NAMES)
    pack = [table.match.name(k) for k in play_of(table).pack]
    wolf, seer = who(table, "wolf"), who(table, "seer")
    assert all(name in table.shown(wolf, "card").text for name in pack)
    assert "Wolf" not in table.shown(seer, "card").text
    until(table, "n345", 1)
    table.do(seer, w.Check(wolf.key))
    assert f"{table.match.name(wolf.key)} not villager" in table.shown(seer, "card").text
    assert "not villager" not in table.shown(wolf, "card").text


def test_the_role_is_on_a_hud_only_if_its_wearer_wants_it_so() -> None:
    table = village("ann")
    role = of(table, Key("ann")).role.capitalize()

    def hud(key: str) -> str:
        private = GAME.private(table.match, Key(key))
        return GAME.hud(table.public(), private, table.theme).text

    assert role not in hud("ann")
    table.press("ann", "card", "Role on my HUD")
    assert role in hud("ann")
    table.press("ann", "card", "No role on HUD")
    assert role not in hud("ann")
    bot = next(s.key for s in table.match.seats if s.bot)
    table.do(Actor(bot), w.Unveil())
    assert of(table, bot).role.capitalize() not in hud(bot)


# ---- letters and last words -----------------------------------------------------------------


def test_wolves_write_to_each_other_until_one_is_out() -> None:
    table = village(*NAMES)
    one, other = play_of(table).pack
    (told,) = table.do(Actor(one), w.Whisper("wolves", " Hello\nthere "))
    assert told == events.Whispered(one, "wolves", "Hello there", (one, other))
    assert table.heard(other)[-1] == f"🐺 {table.match.name(one)}: Hello there"
    seer = who(table, "seer")
    for actor, code in ((seer, "nobody_hears"), (Actor(one), "nothing_said")):
        assert table.refused(actor, w.Whisper("wolves", " \n")) == code
    until(table, "day", 2)
    for name in NAMES:
        table.send(Actor(Key(name)), w.Vote(other))
    assert other not in play_of(table).living
    assert table.refused(Actor(one), w.Whisper("wolves", "Are you there?")) == "nobody_hears"
    assert table.refused(Actor(other), w.Whisper("wolves", "No")) == "is_out_himself"
    assert "Pack" not in table.shown(Actor(other), "card").text


def test_lovers_write_to_each_other_and_cupid_hears_nothing() -> None:
    table = village(*NAMES)
    cupid, seer, witch = (who(table, role) for role in ("cupid", "seer", "witch"))
    table.do(cupid, w.Arrow(seer.key, witch.key))
    until(table, "day", 1)
    (told,) = table.do(seer, w.Whisper("lovers", "♥"))
    assert set(told.seen_by() or ()) == {seer.key, witch.key}
    assert table.refused(cupid, w.Whisper("lovers", "?")) == "nobody_hears"


def test_the_first_two_who_go_out_type_their_last_words_or_say_nothing() -> None:
    table = village(*NAMES, seed=2)
    until(table, "day", 2)
    villager = who(table, "villager")
    for name in NAMES:
        table.send(Actor(Key(name)), w.Vote(villager.key))
    assert table.due(villager.key) == "words"
    assert table.press(villager, "words", "🕯️ Last words") == "write"
    typed = GAME.typed(table.match, villager.key, "write", "Bye {name}!")
    assert typed is not None
    (said,) = table.do(villager, typed)
    assert said == events.LastWordsSaid(villager.key, "Bye {name}!")
    assert "“Bye {name}!”" in table.heard()[-1]
    assert table.refused(villager, w.LastWords("And another thing")) == "not_now"
    assert table.due(villager.key) == ""


def test_what_is_written_is_cut_to_what_a_line_of_chat_holds() -> None:
    table = village(*NAMES)
    wolf = who(table, "wolf")
    table.do(wolf, w.Whisper("wolves", "漢" * 5000))
    assert len(table.heard(wolf.key)[-1].encode()) < 1023
