"""Dialogs: who gets which, what each button does, the number picker, and what a touch means."""

import re

import pytest

from app import games
from app.games import dialogs, lobby, menus
from app.games.core import Actor, Command, Key, Refusal
from app.games.dialogs import Button, Dialog
from app.games.lobby import (
    AddBot,
    CheckLand,
    ClearHuds,
    Freeze,
    Join,
    Kick,
    Leave,
    Lock,
    Ready,
    RemoveBot,
    ResetAll,
    ResetMatch,
    ResetRanking,
    SendHuds,
    SetOptions,
    Start,
    TakeBack,
    Unlock,
)
from app.games.peril.words import Mark, Pick, Roll, Unmark

from .dice import SeededDice
from .driver import OWNER, SERVICE, PerilTable, Table, drawn, lobby_of, playing
from .walks import STAFF

TEN = ("ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal", "ida", "jon")


def rows(dialog: Dialog) -> list[list[str]]:
    """The labels as they are read: top row first, though llDialog takes the bottom one first."""
    labels = [b.label for b in dialog.buttons]
    return [labels[i : i + 3] for i in range(0, len(labels), 3)][::-1]


def labels(dialog: Dialog) -> list[str]:
    return [label for line in rows(dialog) for label in line]


def commands(dialog: Dialog) -> dict[str, Command]:
    return {b.label: b.command for b in dialog.buttons if b.command is not None}


# ---- the menus of players -------------------------------------------------------------------


def test_the_starter_gets_start_and_leave() -> None:
    table = lobby_of("ann", "bob")
    dialog = table.shown("ann", "lobby")
    assert labels(dialog) == ["Start Game", "Leave Game", "🔎 My Data", "🌐 Language"]
    assert commands(dialog) == {"Start Game": Start(), "Leave Game": Leave()}


def test_the_others_get_ready_or_not_ready_and_leave() -> None:
    table = lobby_of("ann", "bob")
    dialog = table.shown("bob", "lobby")
    assert commands(dialog) == {"Ready": Ready(), "Leave Game": Leave()}
    table.do("bob", Ready())
    assert commands(table.shown("bob", "lobby")) == {
        "Not Ready": Ready(False),
        "Leave Game": Leave(),
    }


def test_a_lobby_menu_names_everybody_and_ticks_who_is_ready() -> None:
    table = lobby_of("ann", "bob", "cid")
    table.bots(1)
    table.do("bob", Ready())
    assert "At the table: Ann, Bob ✔, Cid, Bot1 ✔\n" in table.shown("cid", "lobby").text
    assert "Lives 3, 120 s to answer" in table.shown("ann", "lobby").text


def test_an_owner_who_has_a_seat_gets_the_way_to_the_owner_menu_besides() -> None:
    table = lobby_of("ann", "owner")
    assert labels(table.shown(OWNER, "lobby")) == [
        "Ready",
        "Leave Game",
        "Owner",
        "🔎 My Data",
        "🌐 Language",
    ]
    table.do("ann", Leave())
    assert labels(table.shown(OWNER, "lobby")) == [
        "Start Game",
        "Leave Game",
        "Owner",
        "🔎 My Data",
        "🌐 Language",
    ]


def test_there_is_no_lobby_menu_without_a_seat_or_in_a_running_match() -> None:
    assert lobby_of("ann").dialog("bob", "lobby") is None
    assert playing("ann", "bob", peril="ann").dialog("ann", "lobby") is None


def test_who_leaves_a_running_match_is_asked_once_more() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    assert table.press("bob", "wait", "Leave Game") == "leave"
    assert table.press("bob", "leave", "NO, STAY") == "wait"
    assert table.press("ann", "leave", "NO, STAY") == "pick"
    table.press("bob", "leave", "YES, LEAVE")
    assert table.out == ["bob"]


def test_there_is_no_leaving_menu_in_the_lobby_nor_for_strangers_nor_after_the_end() -> None:
    assert lobby_of("ann").dialog("ann", "leave") is None
    table = playing("ann", "bob", peril="ann")
    assert table.dialog("zed", "leave") is None
    table.do("bob", Leave())
    assert table.dialog("ann", "leave") is None


def test_who_is_not_asked_is_told_who_is_waited_for() -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.shown("bob", "wait").text == "Nothing to answer just now. Waiting for Ann."
    assert labels(table.shown("bob", "wait")) == ["Leave Game", "🔎 My Data", "🌐 Language"]
    assert table.dialog("zed", "wait") is None
    table.do(SERVICE, Freeze("restart"))
    assert table.shown("bob", "wait").text.startswith("The table is out of reach")


def test_while_something_is_shown_nobody_is_waited_for() -> None:
    table = drawn("ann", "bob", peril="ann")
    assert table.shown("ann", "wait").text == "Nothing to answer just now. Watch the board."


def test_after_the_end_there_is_nothing_to_leave() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do("bob", Leave())
    assert labels(table.shown("ann", "wait")) == ["🔎 My Data", "🌐 Language"]


@pytest.mark.parametrize("who", [OWNER, STAFF], ids=["owner", "staff"])
def test_whoever_has_rights_reaches_the_owner_menu_from_every_dialog_of_the_match(
    who: Actor,
) -> None:
    table = playing(who.key, "bob", peril=who.key)
    assert table.press(who, "pick", "Owner") == "owner"
    assert table.press(who, "owner", "⬅️ Back to Game") == "pick"
    table.do(who, Mark(1))
    assert table.press(who, "pick", "Owner") == "owner"
    table.picks(**{who.key: [1]}, bob=[2])
    assert table.press(who, "roll", "Owner") == "owner"
    table.roll(6)
    assert labels(table.shown(who, "wait")) == ["Leave Game", "Owner", "🔎 My Data", "🌐 Language"]


@pytest.mark.parametrize("who", [OWNER, STAFF], ids=["owner", "staff"])
def test_from_the_owner_menu_he_leaves_the_match_that_he_plays(who: Actor) -> None:
    table = playing(who.key, "bob", "cid", peril="bob")
    assert table.press(who, "owner", "Leave Game") == "leave"
    table.press(who, "leave", "YES, LEAVE")
    assert table.out == [who.key]
    assert "Leave Game" not in labels(table.shown(who, "owner"))


def test_with_few_rights_too_he_reaches_what_he_may_do_in_his_turn() -> None:
    clerk = Actor(STAFF.key, STAFF.name, staff=frozenset({"options"}))
    table = playing(clerk.key, "bob", peril=clerk.key)
    assert table.press(clerk, "pick", "Owner") == "owner"
    assert labels(table.shown(clerk, "owner")) == [
        "⚙️ Options",
        "🎲 Choose Game",
        "🌐 Table Language",
        "Leave Game",
        "⬅️ Back to Game",
    ]


@pytest.mark.parametrize("game", sorted(games.GAMES))
@pytest.mark.parametrize("who", [OWNER, STAFF], ids=["owner", "staff"])
def test_in_every_game_the_owner_menu_is_near_while_he_is_asked(game: str, who: Actor) -> None:
    table = Table(SeededDice(5), game=game)
    table.sit(who.key)
    table.bots(max(5, table.game.seats.start) - 1)
    table.begin()
    asked = set()
    while table.match.stage == "playing" and not table.seat(who.key).auto:
        if due := table.due(who.key):
            asked.add(due)
            near = table.shown(who, due)
            seen = {b.then for b in near.buttons if b.command is None and b.then}
            seen |= {b.then for name in seen for b in table.shown(who, name).buttons}
            assert "owner" in seen, due
        table.tick()
    assert asked


@pytest.mark.parametrize("page", [0, 1, 2])
def test_the_owner_menu_takes_no_number_from_a_page_of_picks(page: int) -> None:
    table = playing(STAFF.key, *"abcdefg", peril=STAFF.key)
    mine = labels(table.shown(STAFF, "pick", page))
    others = labels(table.shown(Actor(STAFF.key), "pick", page))
    assert [label for label in mine if label != "Owner"] == [
        label for label in others if label != "Leave Game"
    ]


def test_the_rejoin_offer_is_for_those_invited() -> None:
    table = drawn("ann", "bob", peril="ann")
    table.do("bob", Leave())
    table.run_out()
    table = table.reopened()
    assert commands(table.shown("bob", "rejoin")) == {"Play Again": Join()}
    assert table.dialog("zed", "rejoin") is None
    table.do("bob", Join())
    assert table.dialog("bob", "rejoin") is None


# ---- the owner's menus ----------------------------------------------------------------------


def test_an_owner_without_a_seat_chooses_between_joining_starting_and_the_owner_menu() -> None:
    table = lobby_of("ann")
    assert labels(table.shown(OWNER, "owner_choice")) == ["Join Game", "Owner Menu"]
    table.bots(1)
    dialog = table.shown(OWNER, "owner_choice")
    assert labels(dialog) == ["Join Game", "Start Game", "Owner Menu"]
    assert table.press(OWNER, "owner_choice", "Owner Menu") == "owner"
    assert table.press(OWNER, "owner_choice", "Join Game") == "lobby"
    assert table.dialog(OWNER, "owner_choice") is None


def test_the_owner_menu() -> None:
    table = lobby_of("ann")
    assert rows(table.shown(OWNER, "owner")) == [
        ["👥 Players", "🔄 Reset Options", "🛠️ Troubleshooting"],
        ["🔒 Lock Game", "⚙️ Options", "🎲 Choose Game"],
        ["🌐 Table Language", "🖥️ Console", "⬅️ Back to Game"],
    ]
    assert [
        table.press(OWNER, "owner", label)
        for label in ("👥 Players", "🔄 Reset Options", "🛠️ Troubleshooting", "⚙️ Options")
    ] == ["players", "resets", "trouble", "options"]


def test_the_lock_button_says_what_it_will_do() -> None:
    table = lobby_of("ann")
    assert table.press(OWNER, "owner", "🔒 Lock Game") == "owner"
    assert table.match.locked
    assert "locked" in table.shown(OWNER, "owner").text
    assert commands(table.shown(OWNER, "owner")) == {"🔓 Unlock Game": Unlock()}
    table.press(OWNER, "owner", "🔓 Unlock Game")
    assert not table.match.locked
    assert commands(table.shown(OWNER, "owner")) == {"🔒 Lock Game": Lock()}


@pytest.mark.parametrize(
    ("situation", "then"),
    [
        ("lobby", "owner_choice"),
        ("seated", "lobby"),
        ("running", ""),
        ("waited for", "pick"),
        ("waiting", "wait"),
    ],
)
def test_back_to_game_leads_to_what_the_owner_has_to_do_there(situation: str, then: str) -> None:
    table = {
        "lobby": lambda: lobby_of("ann"),
        "seated": lambda: lobby_of("ann", "owner"),
        "running": lambda: playing("ann", "bob", peril="ann"),
        "waited for": lambda: playing("ann", "owner", peril="owner"),
        "waiting": lambda: playing("ann", "owner", peril="ann"),
    }[situation]()
    assert table.press(OWNER, "owner", "⬅️ Back to Game") == then


def test_the_players_menu_adds_and_removes_bots() -> None:
    table = lobby_of()
    assert table.shown(OWNER, "players").text == "Nobody is at the table."
    assert labels(table.shown(OWNER, "players")) == [
        "Add Test Player",
        "Kick Player",
        "⬅️ Back to Main",
    ]
    assert table.press(OWNER, "players", "Add Test Player") == "players"
    table.sit("ann")
    dialog = table.shown(OWNER, "players")
    assert dialog.text == "At the table (2): Bot1, Ann"
    assert commands(dialog) == {"Add Test Player": AddBot(), "Remove Bot": RemoveBot()}
    assert table.press(OWNER, "players", "Remove Bot") == "players"
    assert table.names == ["Ann"]
    assert table.press(OWNER, "players", "Kick Player") == "kick"
    assert table.press(OWNER, "players", "⬅️ Back to Main") == "owner"


def test_the_kick_menu_kicks_and_its_back_leads_to_the_players() -> None:
    table = lobby_of("ann", "bob")
    assert table.press(OWNER, "kick", "⬅️ Back") == "players"
    assert table.names == ["Ann", "Bob"]
    assert table.press(OWNER, "kick", "👢 Ann") == "players"
    assert table.names == ["Bob"]
    table.press(OWNER, "kick", "👢 Bob")
    dialog = table.shown(OWNER, "kick")
    assert dialog.text == "There is nobody to remove."
    assert labels(dialog) == ["⬅️ Back"]


def test_ten_players_stand_on_two_pages_of_the_kick_menu() -> None:
    table = lobby_of(*TEN)
    first, second = table.shown(OWNER, "kick"), table.shown(OWNER, "kick", page=1)
    assert labels(first)[:9] == [f"👢 {name.capitalize()}" for name in TEN[:9]]
    assert labels(first)[9:] == ["⬅️ Back", "Next ▶"]
    assert labels(second) == ["👢 Jon", "◀ Prev", "⬅️ Back"]
    assert "Page 2 of 2" in second.text
    button = first.button("Next ▶")
    assert button is not None
    assert (button.then, button.page) == ("kick", 1)
    assert table.shown(OWNER, "kick", page=99) == second
    assert table.shown(OWNER, "kick", page=-1) == first


NAMES = {
    "equal": ["Sam", "Sam", "Sam"],
    "long": ["W" * 31, "W" * 30 + "X", "W" * 30 + "Y"],
    "wide": ["漢" * 20, "漢" * 20, "漢" * 19],
    "numbered": ["Sam", "Sam", "Sam 2"],
    "strange": ["Ωmega Ñandú Çelik Ümit", "Ａｎｎａｂｅｌ Ｌｅｅ", "👩‍🚀👩‍🚀👩‍🚀"],
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("which", range(3))
def test_labels_are_unique_and_kick_the_right_one(names: list[str], which: int) -> None:
    table = lobby_of()
    for number, name in enumerate(names):
        table.do(Actor(Key(f"avatar-{number}"), name), Join())
    dialog = table.shown(OWNER, "kick")
    shown = labels(dialog)
    assert len(set(shown)) == 4
    assert all(1 <= len(label.encode()) <= 24 for label in shown)
    assert commands(dialog)[shown[which]] == Kick(Key(f"avatar-{which}"))
    table.press(OWNER, "kick", shown[which])
    assert [s.key for s in table.match.seats] == [f"avatar-{n}" for n in range(3) if n != which]


@pytest.mark.parametrize(
    ("button", "name", "yes", "command"),
    [
        ("Reset Game", "reset_match", "YES, RESET GAME", ResetMatch()),
        ("Reset Leaderboard", "reset_ranking", "YES, WIPE LB", ResetRanking()),
        ("Reset All", "reset_all", "YES, RESET ALL", ResetAll()),
    ],
)
@pytest.mark.parametrize("running", [False, True])
def test_each_reset_asks_once_more(
    button: str, name: str, yes: str, command: Command, running: bool
) -> None:
    table = playing("ann", "bob", peril="ann") if running else lobby_of("ann")
    assert commands(table.shown(OWNER, "resets")) == {}
    assert table.press(OWNER, "resets", button) == name
    assert commands(table.shown(OWNER, name)) == {yes: command}
    before = table.match
    assert table.press(OWNER, name, "NO, CANCEL") == "resets"
    assert table.match == before
    table.press(OWNER, name, yes)
    assert bool(table.match.closed) == (command != ResetRanking())
    assert table.told(lobby.RankingReset) == (
        [] if command == ResetMatch() else [lobby.RankingReset()]
    )


def test_the_reset_menu_leads_back() -> None:
    assert lobby_of().press(OWNER, "resets", "⬅️ Back to Main") == "owner"


def test_the_trouble_menu_sends_huds_again_and_looks_at_the_land() -> None:
    table = lobby_of("ann")
    assert commands(table.shown(OWNER, "trouble")) == {
        "Cleanup Floaters": ClearHuds(),
        "Force Floaters": SendHuds(),
        "Check Land": CheckLand(),
    }
    assert table.press(OWNER, "trouble", "Cleanup Floaters") == "trouble"
    assert table.press(OWNER, "trouble", "⬅️ Back to Main") == "owner"


def test_the_options_menu_offers_presets_and_the_next_value_of_each_option() -> None:
    table = lobby_of()
    assert labels(table.shown(OWNER, "options")) == [
        "Classic",
        "Speed Peril",
        "High Stakes",
        "Silent: out",
        "Practice: free",
        "Pace: brisk",
        "Lives: 1",
        "Next: in order",
        "Seconds to answer",
        "⬅️ Back to Main",
    ]
    for label in ("Silent: out", "Practice: free", "Pace: brisk", "Lives: 1", "Next: in order"):
        assert table.press(OWNER, "options", label) == "options"
    options = table.match.options
    assert (options.afk, options.rank_practice, options.pace) == ("remove", False, "brisk")
    assert (options.lives, options.succession) == (1, "join_order")
    for label in ("Silent: bot", "Practice: ranked", "Pace: normal", "Lives: 2", "Next: drawn"):
        table.press(OWNER, "options", label)
    options = table.match.options
    assert (options.afk, options.rank_practice, options.pace) == ("bot", True, "normal")
    assert (options.lives, options.succession) == (2, "random")


@pytest.mark.parametrize(
    ("text", "turn_s"), [("45", 45), (" 7,5 ", 7.5), ("0", None), ("soon", None)]
)
def test_the_seconds_to_answer_are_typed_and_checked(text: str, turn_s: float | None) -> None:
    table = lobby_of()
    dialog = table.shown(OWNER, "turn_s")
    assert dialog.typed
    assert not dialog.buttons
    command = menus.typed(table.game, table.match, OWNER.key, dialog, text).command
    assert command is not None
    answer = games.decide(table.match, OWNER, command, SeededDice(1))
    assert isinstance(answer, Refusal) == (turn_s is None)
    if not isinstance(answer, Refusal):
        assert games.evolve(table.match, answer[0]).options.turn_s == turn_s


@pytest.mark.parametrize(
    ("label", "preset"),
    [("Classic", "classic"), ("Speed Peril", "speed_peril"), ("High Stakes", "high_stakes")],
)
def test_a_preset_is_one_press(label: str, preset: str) -> None:
    table = lobby_of()
    assert commands(table.shown(OWNER, "options"))[label] == SetOptions(preset=preset)
    assert table.press(OWNER, "options", label) == "options"


def test_the_options_are_only_shown_while_a_game_runs() -> None:
    table = playing("ann", "bob", peril="ann", lives=2)
    dialog = table.shown(OWNER, "options")
    assert labels(dialog) == ["⬅️ Back to Main"]
    assert dialog.text.startswith("Lives 2, ")
    assert dialog.text.endswith("Fixed while a game runs.")


@pytest.mark.parametrize(
    "name",
    [
        "owner",
        "owner_choice",
        "players",
        "kick",
        "resets",
        "reset_match",
        "reset_ranking",
        "reset_all",
        "trouble",
        "options",
    ],
)
def test_nobody_but_the_owner_opens_the_owners_menus(name: str) -> None:
    table = lobby_of("ann")
    assert table.dialog(OWNER, name) is not None
    assert table.dialog("ann", name) is None
    assert table.dialog("zed", name) is None


def test_a_dialog_that_there_is_not_is_not_shown() -> None:
    assert lobby_of("ann").dialog("ann", "cheats") is None
    assert playing("ann", "bob", peril="ann").dialog("ann", "cheats") is None
    assert playing("ann", "bob", peril="ann").dialog("ann", "") is None


# ---- picking numbers ------------------------------------------------------------------------


def offered(table: Table, name: str) -> list[dict[str, int]]:
    """The pages of the picker: on each, label → number."""
    pages: list[dict[str, int]] = []
    page: int | None = 0
    while page is not None:
        dialog = table.shown(name, "pick", page)
        assert dialog.page == page
        marks = {label: c for label, c in commands(dialog).items() if isinstance(c, Mark)}
        pages.append({label: marks[label].number for label in labels(dialog) if label in marks})
        following = dialog.button("Next ▶")
        page = following.page if following else None
    return pages


def test_on_a_d30_nine_numbers_stand_on_a_page_and_all_are_reachable() -> None:
    table = playing(*TEN, peril="ann")
    pages = offered(table, "ann")
    assert [list(page.values()) for page in pages] == [
        [*range(1, 10)],
        [*range(10, 19)],
        [*range(19, 28)],
        [28, 29, 30],
    ]
    assert all(label == str(number) for page in pages for label, number in page.items())


def test_the_pages_of_the_picker_lead_to_and_fro() -> None:
    table = playing(*TEN, peril="ann")
    assert rows(table.shown("ann", "pick")) == [
        ["1", "2"],
        ["3", "4", "5"],
        ["6", "7", "8"],
        ["9", "Leave Game", "Next ▶"],
    ]
    assert rows(table.shown("ann", "pick", page=1)) == [
        ["10", "11", "12"],
        ["13", "14", "15"],
        ["16", "17", "18"],
        ["◀ Prev", "Leave Game", "Next ▶"],
    ]
    assert labels(table.shown("ann", "pick", page=3)) == ["28", "29", "30", "◀ Prev", "Leave Game"]
    assert "Page 2 of 4" in table.shown("ann", "pick", page=1).text


def test_a_d6_stands_on_one_page() -> None:
    table = playing("ann", "bob", peril="ann")
    assert rows(table.shown("ann", "pick")) == [["1"], ["2", "3", "4"], ["5", "6", "Leave Game"]]


def test_only_free_numbers_are_offered() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.picks(ann=[5], bob=[12])
    (first, second) = offered(table, "cid")
    assert [*first.values(), *second.values()] == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11]


def test_a_single_number_is_marked_and_then_confirmed() -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.press("ann", "pick", "4") == "pick"
    assert table.player("ann").marked == (4,)
    dialog = table.shown("ann", "pick")
    assert labels(dialog) == ["✖ 4", "✅ Done", "Leave Game"]
    assert commands(dialog) == {"✖ 4": Unmark(4), "✅ Done": Pick((4,))}
    assert table.press("ann", "pick", "✅ Done") == ""
    assert table.player("ann").picks == (4,)


def test_marked_numbers_are_shown_and_can_be_taken_back() -> None:
    table = playing("ann", "bob", peril="ann", lives=1)
    table.press("ann", "pick", "4")
    dialog = table.shown("ann", "pick")
    assert dialog.text.startswith(
        "Stake your life. Numbers to pick: 3, from 1 to 6.\nChosen: 4. Still missing: 2."
    )
    assert [*commands(dialog)] == [b.label for b in dialog.buttons if b.command]
    assert commands(dialog)["✖ 4"] == Unmark(4)
    assert "4" not in commands(dialog)
    table.press("ann", "pick", "✖ 4")
    assert commands(table.shown("ann", "pick"))["4"] == Mark(4)
    for number in ("6", "2", "4"):
        table.press("ann", "pick", number)
    dialog = table.shown("ann", "pick")
    assert dialog.text.startswith("Your numbers: 2, 4, 6.")
    assert labels(dialog) == ["✖ 2", "✖ 4", "✖ 6", "✅ Done", "Leave Game"]
    table.press("ann", "pick", "✖ 4")
    assert "Still missing: 1" in table.shown("ann", "pick").text
    table.press("ann", "pick", "1")
    table.press("ann", "pick", "✅ Done")
    assert table.player("ann").picks == (1, 2, 6)


def test_marking_a_number_keeps_the_page() -> None:
    table = playing(*TEN, peril="ann", lives=1)
    button = table.shown("ann", "pick", page=2).button("20")
    assert button is not None
    assert (button.then, button.page) == ("pick", 2)
    table.do("ann", Mark(20))
    button = table.shown("ann", "pick", page=2).button("✖ 20")
    assert button is not None
    assert (button.command, button.then, button.page) == (Unmark(20), "pick", 2)


def test_a_lost_dialog_comes_back_with_what_is_chosen() -> None:
    table = playing("ann", "bob", peril="ann", lives=2)
    table.press("ann", "pick", "3")
    assert table.touch("ann") == "pick"
    assert "Chosen: 3. Still missing: 1." in table.shown("ann", "pick").text


def test_the_picker_is_only_for_the_one_who_picks() -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.dialog("bob", "pick") is None
    assert table.dialog("zed", "pick") is None
    table.picks(ann=[1])
    assert table.dialog("ann", "pick") is None
    assert table.dialog("bob", "pick") is not None


def test_the_dialogs_of_a_round_belong_to_one_moment() -> None:
    table = playing("ann", "bob", peril="ann", lives=2)
    first = table.shown("ann", "pick")
    assert first.phase == table.match.phase
    table.do("ann", Mark(1))
    assert table.shown("ann", "pick").phase == first.phase, "marking does not make it stale"
    table.picks(ann=[1, 2])
    assert table.match.phase != first.phase
    assert table.shown("ann", "wait").phase == -1


# ---- rolling --------------------------------------------------------------------------------


def test_the_peril_player_rolls_with_the_dice_of_fate() -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.dialog("ann", "roll") is None
    table.picks(ann=[5], bob=[2])
    dialog = table.shown("ann", "roll")
    assert dialog.text == "The moment of truth, Ann. Your numbers: 5.\nRoll the d6."
    assert labels(dialog) == ["ROLL THE DICE OF FATE", "Leave Game"]
    assert commands(dialog) == {"ROLL THE DICE OF FATE": Roll()}
    assert table.dialog("bob", "roll") is None
    table.dice.then(roll=[6])
    assert table.press("ann", "roll", "ROLL THE DICE OF FATE") == ""
    assert table.dialog("ann", "roll") is None


# ---- a touch --------------------------------------------------------------------------------


def test_a_touch_of_the_open_lobby_joins() -> None:
    table = lobby_of("ann")
    assert table.touch("bob") == Join()
    assert table.touch("ann") == "lobby"
    assert table.touch("owner") == "owner_choice"
    table.sit("owner")
    assert table.touch("owner") == "lobby"


def test_a_touch_of_a_locked_lobby_is_refused_to_all_but_the_owner() -> None:
    table = lobby_of("ann")
    table.do(OWNER, Lock())
    assert table.touch("bob") == Refusal("locked")
    assert table.touch("ann") == Refusal("locked")
    assert table.touch("owner") == "owner_choice"


def test_a_touch_of_a_running_match_brings_back_what_is_due() -> None:
    table = playing("ann", "bob", peril="ann")
    assert table.touch("ann") == "pick"
    assert table.touch("bob") == "wait"
    assert table.touch("zed") == Refusal("game_running")
    assert table.touch("owner") == "owner"
    table.picks(ann=[1], bob=[2])
    assert table.touch("ann") == "roll"
    assert table.touch("bob") == "wait"
    table.roll(6)
    assert table.touch("ann") == "wait"


def test_a_touch_of_a_locked_running_match_is_for_its_players_and_the_owner() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do(OWNER, Lock())
    assert table.touch("ann") == "pick"
    assert table.touch("zed") == Refusal("locked")
    assert table.touch("owner") == "owner"


def test_a_touch_of_the_owner_who_plays_brings_what_is_due_before_the_owner_menu() -> None:
    table = playing("owner", "bob", peril="owner")
    assert table.touch("owner") == "pick"
    table.picks(owner=[1])
    assert table.touch("owner") == "owner"


def test_a_touch_of_a_frozen_match_says_that_it_waits() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do(SERVICE, Freeze("unreachable"))
    assert table.touch("ann") == "wait"
    assert table.shown("ann", "wait").text.startswith("The table is out of reach")


def test_a_touch_takes_the_seat_back_from_the_bot() -> None:
    table = playing("ann", "bob", peril="ann", afk_limit=1)
    table.dice.then(pick=[(1,)])
    table.wait(120)
    assert table.touch("ann") == TakeBack()
    assert table.due("ann") == ""


def test_a_touch_of_somebody_out_and_while_the_winner_is_celebrated() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.do("cid", Leave())
    assert table.touch("cid") == "wait"
    table.do("bob", Leave())
    assert table.touch("ann") == "wait"
    assert table.touch("zed") == Refusal("game_running")
    assert table.touch("owner") == "owner"


def test_what_is_due_is_due_to_one_alone() -> None:
    table = playing("ann", "bob", peril="ann", bots=1)
    assert [table.due(name) for name in ("ann", "bob", "bot:1", "zed", "owner")] == [
        "pick",
        *[""] * 4,
    ]
    table.picks(ann=[1])
    assert [table.due(name) for name in ("ann", "bob")] == ["", "pick"]
    table.picks(bob=[2])
    assert [table.due(name) for name in ("ann", "bob", "bot:1")] == ["", "", ""]
    table.dice.then(pick=[(3,)])
    table.tick()
    assert [table.due(name) for name in ("ann", "bob")] == ["roll", ""]


def test_nothing_is_due_any_more_when_the_match_is_closed() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do(OWNER, ResetMatch())
    assert table.due("ann") == ""


# ---- how dialogs are made -------------------------------------------------------------------


def test_buttons_stand_in_the_order_in_which_they_are_read() -> None:
    for count, expected in (
        (0, []),
        (1, [["a"]]),
        (3, [["a", "b", "c"]]),
        (4, [["a"], ["b", "c", "d"]]),
        (5, [["a", "b"], ["c", "d", "e"]]),
        (12, [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"], ["j", "k", "l"]]),
    ):
        dialog = dialogs.make("x", "text", [Button(c) for c in "abcdefghijkl"[:count]])
        # The short row is the top one: viewers fill from the bottom left.
        found = [b.label for b in dialog.buttons]
        bottom_first = [label for line in reversed(expected) for label in line]
        assert found == bottom_first


def test_a_thirteenth_button_is_a_mistake() -> None:
    with pytest.raises(AssertionError):
        dialogs.make("x", "text", [Button(str(n)) for n in range(13)])


def test_labels_that_viewers_take_for_something_else_are_changed() -> None:
    dialog = dialogs.make("x", "text", [Button(label) for label in dialogs.MAGIC_LABELS])
    assert not {b.label for b in dialog.buttons} & set(dialogs.MAGIC_LABELS)


def test_many_equal_labels_stay_apart_and_fit() -> None:
    dialog = dialogs.make("x", "text", [Button("漢" * 9, then=str(n)) for n in range(12)])
    found = [b.label for b in dialog.buttons]
    assert len(set(found)) == 12
    assert max(len(label.encode()) for label in found) <= 24
    assert sum(bool(re.search(r" \d+$", label)) for label in found) == 11


def test_a_text_that_is_too_long_is_cut_and_an_empty_one_is_a_blank() -> None:
    dialog = dialogs.make("x", "漢" * 400, [])
    assert len(dialog.text.encode()) <= 511
    assert dialog.text.endswith("…")
    assert dialogs.make("x", "", []).text == " "


def test_a_button_is_found_by_its_label() -> None:
    dialog = dialogs.make("x", "text", [Button("a", Roll()), Button("b")])
    button = dialog.button("a")
    assert button is not None
    assert button.command == Roll()
    assert dialog.button("c") is None


def test_a_list_that_shrank_never_shows_an_empty_page() -> None:
    table: PerilTable = lobby_of(*TEN)
    assert table.shown(OWNER, "kick", page=1).page == 1
    table.do(OWNER, Kick(Key("jon")))
    dialog = table.shown(OWNER, "kick", page=1)
    assert dialog.page == 0
    assert len(dialog.buttons) == 10
