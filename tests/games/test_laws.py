"""Laws that hold whatever happens at a table: for every registered game, then for Peril Dice."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app import games
from app.display import HOVER_BYTES, LARGEST_SET, TEXT_SETS, drawable
from app.games import GAMES, dialogs, languages, lobby, menus, texts
from app.games.clock import CLOCK
from app.games.core import NOBODY, Actor, Event, Game, Key, Match, Rank, RankingPage, Refusal
from app.games.lines import SAY_BYTES, lines
from app.games.peril import words as r
from app.games.peril.state import Play
from app.games.roulette import words as roulette
from app.games.werewolf import events as werewolf
from app.games.werewolf.state import Play as Village

from .dice import SeededDice
from .driver import OWNER, SERVICE, Table
from .walks import HOSTILE_NAMES, Walk, fixed_walk, walks

EVERY_GAME = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
ONLY = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
)


def law(examples: int, most: int = 120) -> Callable[[Callable[[Walk], None]], Any]:
    """The test runs for every registered game, over `examples` random walks of `most` steps."""

    def wrap(check: Callable[[Walk], None]) -> Any:
        @EVERY_GAME
        @settings(ONLY, max_examples=examples)
        @given(data=st.data())
        def run(game: Game[Any], data: st.DataObject) -> None:
            walk = data.draw(walks(game, most))
            note(walk)
            check(walk)

        run.__name__ = check.__name__
        run.__qualname__ = check.__qualname__
        run.__doc__ = check.__doc__
        return run

    return wrap


def everybody(match: Match[Any]) -> list[Actor]:
    """The owner, all who have a seat, those invited, and a stranger."""
    keys = dict.fromkeys((*(s.key for s in match.seats), *match.invited, Key("stranger")))
    return [OWNER, *(Actor(k, match.name(k)) for k in keys if k != OWNER.key)]


# ---- what follows from a command ------------------------------------------------------------


@law(25)
def test_what_is_refused_changes_nothing_and_has_a_sentence(walk: Walk) -> None:
    for step in walk.steps:
        if isinstance(step.answer, Refusal):
            assert step.after is step.before
            before = msgspec.json.encode(step.before)
            again = games.decide(step.before, step.actor, step.command, SeededDice(0))
            assert again == step.answer
            assert msgspec.json.encode(step.before) == before
            assert walk.table.theme.refusal(step.answer).strip()


@law(25)
def test_deciding_changes_nothing_by_itself(walk: Walk) -> None:
    for step in walk.steps:
        before = msgspec.json.encode(step.before)
        games.decide(step.before, step.actor, step.command, SeededDice(0))
        for event in step.events[:1]:
            games.evolve(step.before, event)
        assert msgspec.json.encode(step.before) == before


@law(25)
def test_what_is_accepted_has_a_consequence(walk: Walk) -> None:
    for step in walk.steps:
        assert isinstance(step.answer, Refusal) or len(step.answer) > 0


@law(25)
def test_the_owner_and_the_service_have_commands_of_their_own(walk: Walk) -> None:
    for step in walk.steps:
        right = lobby.RIGHTS.get(type(step.command))
        if isinstance(step.command, lobby.OWNER_COMMANDS) and right not in step.actor.rights:
            assert isinstance(step.answer, Refusal)
        if isinstance(step.command, lobby.SERVER_COMMANDS) and step.actor != SERVICE:
            assert isinstance(step.answer, Refusal)


@law(25)
def test_who_has_no_seat_does_not_play(walk: Walk) -> None:
    for step in walk.steps:
        if isinstance(step.command, walk.game.commands) and not step.before.seat(step.actor.key):
            assert isinstance(step.answer, Refusal)


@law(25)
def test_seats_are_taken_and_left_only_in_the_lobby(walk: Walk) -> None:
    for step in walk.steps:
        if step.before.stage != "lobby":
            before = [(s.key, s.bot) for s in step.before.seats]
            assert [(s.key, s.bot) for s in step.after.seats] == before
        keys = [s.key for s in step.after.seats]
        assert len(set(keys)) == len(keys) <= walk.game.seats[-1]
        assert NOBODY not in keys


@law(25)
def test_every_name_fits_in_a_line(walk: Walk) -> None:
    for seat in walk.table.match.seats:
        assert seat.name.isprintable()
        assert seat.name == seat.name.strip() != ""
        assert len(seat.name) <= lobby.state.NAME_CHARS


# ---- replay ---------------------------------------------------------------------------------


@law(35)
def test_replay_equals_live(walk: Walk) -> None:
    events = walk.table.events
    assert games.replay(events) == walk.table.match
    written = msgspec.json.encode(events)
    assert games.events_decoder.decode(written) == events
    assert games.replay(games.events_decoder.decode(written)) == walk.table.match


@law(25)
def test_every_command_can_be_written_down_and_read(walk: Walk) -> None:
    for step in walk.steps:
        if not isinstance(step.command, lobby.SERVER_COMMANDS):
            written = msgspec.json.encode(step.command)
            assert games.command_decoder.decode(written) == step.command


# ---- time -----------------------------------------------------------------------------------


@law(35)
def test_whoever_is_waited_for_has_a_deadline_and_a_bot_a_pause(walk: Walk) -> None:
    for match in walk.states:
        if match.frozen or match.closed or match.stage == "lobby":
            continue
        after_s = {t.name: t.after_s for t in games.timers(match)}
        for wait in walk.game.waits(match):
            seat = match.seat(wait.key)
            assert seat is not None
            if seat.bot or seat.auto:
                assert after_s[f"bot:{wait.key}"] == wait.bot_s
                assert f"expire:{wait.key}" not in after_s
            elif wait.together:
                assert after_s[CLOCK] > 0
                assert f"expire:{wait.key}" not in after_s
            else:
                assert after_s[f"expire:{wait.key}"] == match.options.turn_s
                reminder = after_s.get(f"remind:{wait.key}")
                expected = None if wait.key in match.reminded else match.options.turn_s / 2
                assert reminder == expected
                assert f"bot:{wait.key}" not in after_s


@law(35)
def test_a_frozen_match_has_no_deadline_and_a_running_one_is_never_without(walk: Walk) -> None:
    for match in walk.states:
        timers = games.timers(match)
        if match.frozen or match.closed or match.stage == "lobby":
            assert timers == ()
        else:
            assert len(timers) > 0
            assert len({t.id for t in timers}) == len(timers) == len({t.name for t in timers})
            assert all(t.after_s >= 0 for t in timers)


@law(35)
def test_a_deadline_comes_once_and_a_stale_one_does_nothing(walk: Walk) -> None:
    for step in walk.steps:
        if not isinstance(step.command, lobby.TimeUp) or step.actor != SERVICE:
            continue
        wanted = (step.command.name, step.command.phase, step.command.epoch)
        if step.before.closed:
            assert step.answer == Refusal("match_closed")
        elif wanted not in {t.id for t in games.timers(step.before)}:
            assert step.answer == Refusal("stale")
        else:
            assert not isinstance(step.answer, Refusal)
            assert wanted not in {t.id for t in games.timers(step.after)}


@law(35)
def test_after_a_freeze_every_deadline_is_a_new_one(walk: Walk) -> None:
    seen: set[tuple[str, int, int]] = set()
    for step in walk.steps:
        if any(isinstance(e, lobby.Thawed) for e in step.events):
            assert seen.isdisjoint(t.id for t in games.timers(step.after))
        seen |= {t.id for t in games.timers(step.after)}


@law(35, most=60)
def test_time_alone_brings_every_match_to_its_end(walk: Walk) -> None:
    table = walk.table
    if table.match.frozen and not table.match.closed:
        table.do(SERVICE, lobby.Thaw())
    if table.match.stage != "lobby":
        table.run_out()
        assert table.match.closed
        assert games.replay(table.events) == table.match


@EVERY_GAME
@pytest.mark.parametrize("seed", range(3))
def test_every_match_of_bots_ends_with_a_victory(game: Game[Any], seed: int) -> None:
    for seats in game.seats:
        table = Table(SeededDice(seed), game=game.name)
        bots = min(seats, max(9, seats - 1))
        table.bots(bots)
        table.begin()
        table.run_out()
        assert table.match.stage == "over"
        assert table.match.closed == "victory"


# ---- what is said ---------------------------------------------------------------------------

SILENT: set[type[Event]] = {
    lobby.MatchOpened,  # nobody is there yet
    lobby.Attended,  # nothing that others need to know
    lobby.RankingTurned,  # the board shows it
    lobby.Renamed,  # the board shows it
    lobby.Repainted,  # it is the board
    lobby.Scored,  # the ranking shows it
    lobby.ActedForOwner,  # the log says it; at the table it matters what was done
    r.NumberMarked,  # a secret until the numbers are staked
    r.NumberUnmarked,
    r.TitleRestored,  # the board shows it
    roulette.Chamber,  # said with whose turn it is
    roulette.PassStolen,  # said with who is out
    roulette.Shown,  # the board shows it
    werewolf.Absent,  # everybody sees who has not voted
    werewolf.Chosen,  # who chose knows it
    werewolf.Rested,
    werewolf.WordsForgone,
    werewolf.Unveiled,
    *werewolf.HostEvent.__subclasses__(),  # nobody may know of it
}
"""Events of which deliberately nothing is said."""


@law(35)
def test_every_event_has_a_line_or_is_deliberately_silent(walk: Walk) -> None:
    match: Match[Any] = games.replay(walk.table.events[:1])
    for event in walk.table.events[1:]:
        before, match = match, games.evolve(match, event)
        said = lines(walk.game, before, match, event, walk.table.theme)
        silent = type(event) in SILENT or event == lobby.MatchClosed("victory")
        assert bool(said) != silent
        for listener, line in said:
            assert listener in (NOBODY, before.owner, *(s.key for s in match.seats))
            assert line == line.strip() != ""
            assert "\n" not in line
            assert len(line.encode()) <= SAY_BYTES


NOT_IN: dict[str, set[type[Event]]] = {
    # One clock runs for all, so that nobody has a deadline of his own.
    "werewolf": {lobby.Reminded, lobby.TimedOut, lobby.Attended},
}
"""Game → events of the lobby that cannot happen in it."""

RARE: set[type[Event]] = {werewolf.Lot}
"""After days in a row of which each takes a walk; it has tests of its own."""


@EVERY_GAME
def test_the_walks_reach_every_event_there_is(game: Game[Any]) -> None:
    seen: set[type[Event]] = set()
    for seed in range(150):
        walk = fixed_walk(game, seed)
        seen |= {type(e) for step in walk.steps for e in step.events}
        seen.add(type(walk.table.events[0]))
    of_the_service = {lobby.Drawn, lobby.SeedShown, lobby.Forgotten}
    missing = {*lobby.EVENTS, *game.events} - seen - RARE
    assert missing == of_the_service | NOT_IN.get(game.name, set())


@EVERY_GAME
@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_no_name_breaks_what_is_said_of_its_player(game: Game[Any], name: str) -> None:
    table = Table(SeededDice(1), game=game.name)
    table.do(Actor(Key("hostile"), name), lobby.Join())
    table.bots(max(game.seats[0] - 1, 2))
    table.begin()
    table.run_out()
    shown = table.match.name(Key("hostile"))
    assert sum(shown in line for line in table.heard()) >= 3


# ---- what is shown --------------------------------------------------------------------------

FIXED_PRIMS = {"root", "Scoreboard:0:0", "backboard:0:0", "TitleAction:0:0"} | {
    f"{part}:{row}:{column}"
    for part in ("profile", "life", "overlay")
    for row in range(5)
    for column in range(2)
}

SIZES = [
    TEXT_SETS,
    dict.fromkeys(TEXT_SETS, (32, 12)),
    dict.fromkeys(TEXT_SETS, (10, 3)),
    dict.fromkeys(TEXT_SETS, (2, 2)),
    dict.fromkeys(TEXT_SETS, (1, 1)),
    dict.fromkeys(TEXT_SETS, LARGEST_SET),
    {"Status": (24, 2)},
    {},
]


def ranking(entries: int, page: int) -> RankingPage:
    ranks = [
        Rank(n + 1, Key(f"k{n}"), HOSTILE_NAMES[n % len(HOSTILE_NAMES)], 999 - n, n)
        for n in range(entries)
    ]
    return RankingPage(tuple(ranks[page * 10 :][:10]), page, max(1, -(-entries // 10)))


@law(25, most=60)
def test_a_board_is_the_34_prims_and_the_text_sets_in_their_sizes(walk: Walk) -> None:
    assert len(FIXED_PRIMS) == 34
    for number, match in enumerate(walk.states):
        sizes = SIZES[number % len(SIZES)]
        view = walk.game.public(match, ranking(entries=number % 40, page=(number % 40) // 10))
        board = walk.game.board(view, walk.table.theme, sizes)
        assert set(board) == FIXED_PRIMS | set(sizes)
        for name, (columns, rows) in sizes.items():
            assert [len(cells) for cells in board[name].rows] == [columns] * rows
            for cells in board[name].rows:
                assert drawable(cells) == cells
        for frame in board.values():
            assert all(0 <= part <= 1 for part in (*frame.color, frame.alpha, frame.glow))
            assert len(frame.text.encode()) <= HOVER_BYTES


@law(25, most=60)
def test_every_seat_has_a_hud(walk: Walk) -> None:
    for match in walk.states:
        view = walk.game.public(match, RankingPage())
        for seat in match.seats:
            frame = walk.game.hud(view, walk.game.private(match, seat.key), walk.table.theme)
            assert frame.text
            assert len(frame.text.encode()) <= HOVER_BYTES
            assert 0 <= frame.glow <= 1


@law(20, most=60)
def test_a_board_shows_the_same_for_the_same_match(walk: Walk) -> None:
    view = walk.game.public(walk.table.match, RankingPage())
    again = walk.game.public(games.replay(walk.table.events), RankingPage())
    theme = walk.table.theme
    board = walk.game.board(view, theme, TEXT_SETS)
    assert board == walk.game.board(again, theme, TEXT_SETS)


def other_marks(match: Match[Any]) -> Iterator[Match[Any]]:
    """Peril Dice: the numbers which somebody has chosen in the dialog and not staked yet."""
    play = match.play
    if isinstance(play, Play) and play.stage == "picking":
        for marked in ((), play.free[:1], play.free[-play.picks_each :]):
            yield replace(match, play=play.with_player(play.queue[0], marked=marked))


def other_choices(match: Match[Any]) -> Iterator[Match[Any]]:
    """Werewolf: whom the guard protects tonight, before that takes effect."""
    play = match.play
    if isinstance(play, Village) and play.phase == "n1" and play.of("guard").living:
        for target in play.living[:3]:
            chosen = {**play.chosen, "protect": (target,)}
            yield replace(match, play=replace(play, chosen=chosen))


SECRETS: dict[str, Callable[[Match[Any]], Iterator[Match[Any]]] | None] = {
    "peril": other_marks,
    "roulette": None,
    "werewolf": other_choices,
}
"""Game → matches that differ from a given one in nothing but a secret; None: it has no secrets."""


def unlike_in_secret(match: Match[Any]) -> list[Match[Any]]:
    find = SECRETS[match.game]
    return list(find(match)) if find else []


@EVERY_GAME
def test_it_is_written_down_what_each_game_keeps_secret(game: Game[Any]) -> None:
    states = [state for seed in range(3) for state in fixed_walk(game, seed).states]
    assert any(map(unlike_in_secret, states)) == (SECRETS[game.name] is not None)


@law(25, most=60)
def test_nothing_public_changes_when_only_a_secret_does(walk: Walk) -> None:
    game, theme = walk.game, walk.table.theme
    for match in walk.states:
        others = unlike_in_secret(match)
        views = [game.public(other, RankingPage()) for other in others]
        seen = {msgspec.json.encode(view) for view in views}
        shown = {msgspec.json.encode(game.board(view, theme, TEXT_SETS)) for view in views}
        timers = {games.timers(other) for other in others}
        assert len(seen) == len(shown) == len(timers) == bool(views)


@law(25, most=60)
def test_a_secret_is_shown_to_one_alone(walk: Walk) -> None:
    game = walk.game
    for match in walk.states:
        others = unlike_in_secret(match)
        knowing = [
            seat.key
            for seat in match.seats
            if len({msgspec.json.encode(game.private(m, seat.key)) for m in others}) > 1
        ]
        assert len(knowing) == bool(others)


# ---- dialogs --------------------------------------------------------------------------------


def fits(dialog: dialogs.Dialog) -> None:
    """What llDialog takes."""
    assert 1 <= len(dialog.text.encode()) <= dialogs.TEXT_BYTES == 511
    assert len(dialog.buttons) <= dialogs.BUTTONS == 12
    labels = [b.label for b in dialog.buttons]
    assert len(set(labels)) == len(labels)
    for label in labels:
        assert 1 <= len(label.encode()) <= dialogs.LABEL_BYTES == 24
        assert label.strip()
        assert "\n" not in label
        assert label not in dialogs.MAGIC_LABELS


def opened(table: Table, who: Actor, also: set[str]) -> dict[tuple[str, int], dialogs.Dialog]:
    """All dialogs this avatar can come to: by touch, what is due, and from button to button."""
    game, match = table.game, table.match
    found: dict[tuple[str, int], dialogs.Dialog] = {}
    touched = menus.touch(game, match, who)
    if isinstance(touched, str):
        assert table.dialog(who, touched) is not None, "a touch leads nowhere"
        also = also | {touched}
    due = menus.due(game, match, who.key)
    if due:
        assert table.dialog(who, due) is not None, "what is due cannot be shown"
        also = also | {due}
    todo = [(name, 0) for name in also]
    while todo:
        place = todo.pop()
        dialog = table.dialog(who, *place)
        if place in found or dialog is None:
            continue
        found[place] = dialog
        for button in dialog.buttons:
            if button.then in menus.LINKS or button.then.startswith(languages.SPEAK):
                continue
            then = menus.follow(game, match, who, button.then)
            if button.command is None:
                dead_end = not then and button.then not in ("game", "due")
                assert not dead_end, f"{button.label} does nothing"
                assert not then or table.dialog(who, then, button.page), f"{then} is not there"
            if then:
                todo.append((then, button.page))
    return found


def all_dialogs(walk: Walk) -> Iterator[tuple[Match[Any], Actor, dialogs.Dialog]]:
    """Every dialog of everybody at some moments of a walk."""
    table = Table(game=walk.game.name)
    moments = [s.after for s in walk.steps if s.events and not s.after.closed]
    for match in moments[:: max(1, len(moments) // 8)]:
        table.match = match
        names = {name for name, _page in opened(table, OWNER, {"owner", "wait", "leave", "lobby"})}
        for who in everybody(match):
            for dialog in opened(table, who, names).values():
                yield match, who, dialog


@law(20)
def test_every_dialog_fits(walk: Walk) -> None:
    for match, _who, dialog in all_dialogs(walk):
        fits(dialog)
        assert dialog.phase in (-1, match.phase)


@law(20)
def test_nobody_but_the_owner_is_offered_what_is_the_owners(walk: Walk) -> None:
    for _match, who, dialog in all_dialogs(walk):
        if not who.owner:
            assert not any(isinstance(b.command, lobby.OWNER_COMMANDS) for b in dialog.buttons)


@law(20)
def test_every_button_of_a_dialog_that_is_due_is_accepted(walk: Walk) -> None:
    for match, who, dialog in all_dialogs(walk):
        if dialog.phase >= 0 and menus.due(walk.game, match, who.key) == dialog.name:
            for button in dialog.buttons:
                if button.command is not None:
                    answer = games.decide(match, who, button.command, SeededDice(0))
                    assert not isinstance(answer, Refusal), f"{button.label}: {answer}"


@law(20)
def test_who_is_waited_for_gets_a_dialog_and_nobody_else_does(walk: Walk) -> None:
    for match in walk.states:
        if match.stage == "playing":
            waited = {w.key for w in walk.game.waits(match)} if not match.frozen else set()
            for seat in match.seats:
                due = menus.due(walk.game, match, seat.key)
                asked = seat.key in waited and not seat.by_bot and not match.closed
                assert bool(due) == asked


@EVERY_GAME
def test_every_theme_of_a_game_has_labels_for_its_presets_and_options(game: Game[Any]) -> None:
    assert "classic" in texts.names(game.name)
    for name in texts.names(game.name):
        theme = texts.load(game.name, name)
        for preset in game.presets:
            assert theme.has("button", f"preset_{preset}")
        for option, values in menus.choosable(game).items():
            for value in values:
                label = menus.option_label(theme, option, value)
                assert 1 <= len(label.encode()) <= dialogs.LABEL_BYTES


# ---- Peril Dice -----------------------------------------------------------------------------

PERIL = GAMES["peril"]
DIE = {2: 6, 3: 12, 4: 12, 5: 20, 6: 20, 7: 30, 8: 30, 9: 30, 10: 30}


def peril_law(examples: int) -> Callable[[Callable[[Walk], None]], Any]:
    def wrap(check: Callable[[Walk], None]) -> Any:
        return settings(ONLY, max_examples=examples)(given(walk=walks(PERIL))(check))

    return wrap


def plays(walk: Walk) -> Iterator[Play]:
    return (m.play for m in walk.states if isinstance(m.play, Play))


def changes(walk: Walk) -> Iterator[tuple[Play, Play, list[type[Event]]]]:
    """The play before and after each step of the running match, and the kinds of its events."""
    for step in walk.steps:
        if step.before.play is not None:
            assert isinstance(step.after.play, Play)
            yield step.before.play, step.after.play, [type(e) for e in step.events]


@peril_law(35)
def test_lives_never_rise(walk: Walk) -> None:
    for before, after, _kinds in changes(walk):
        for was, now in zip(before.players, after.players, strict=True):
            assert was.key == now.key
            assert 0 <= now.lives <= was.lives <= 3
            if was.lives - now.lives > 1:
                assert now.cause in ("left", "kicked", "silent")


@peril_law(35)
def test_a_roll_costs_one_life_or_none_and_only_the_peril_player_pays(walk: Walk) -> None:
    for before, after, kinds in changes(walk):
        both = zip(before.players, after.players, strict=True)
        lost = {was.key: was.lives - now.lives for was, now in both}
        paid = {key for key, lives in lost.items() if lives}
        if r.LifeLost in kinds:
            assert paid == {before.peril}
            assert lost[before.peril] == 1
            assert after.peril == before.peril
        if r.PlotTwist in kinds:
            assert paid == set()
            assert after.peril != before.peril
            assert before.roll in next(p.picks for p in before.players if p.key == after.peril)


@peril_law(35)
def test_while_a_round_runs_exactly_one_living_player_is_in_peril(walk: Walk) -> None:
    for match in walk.states:
        play = match.play
        if not isinstance(play, Play):
            continue
        shown = [s for s in PERIL.public(match, RankingPage()).seats if s.in_peril]
        if play.stage in ("drawn", "picking", "rolling", "rolled"):
            assert play.peril in play.living
            assert [s.key for s in shown] == [play.peril]
        elif play.stage == "outcome":  # who was struck is shown with no heart, before the X
            assert [s.out for s in shown] == [False]
        elif play.stage == "eliminated":
            assert shown == []
        else:
            assert [s.key for s in shown if not s.out] in ([], [play.winner])


@peril_law(35)
def test_no_number_is_held_twice_and_everybody_holds_as_many(walk: Walk) -> None:
    for play in plays(walk):
        held = [n for p in play.players for n in p.picks]
        assert len(set(held)) == len(held)
        assert all(1 <= n <= play.sides for n in held)
        for player in play.players:
            assert len(player.picks) in (0, play.picks_each)
            if play.stage in ("picking", "rolling", "rolled") and player.living:
                assert bool(player.picks) != (player.key in play.queue)


@peril_law(35)
def test_die_and_picks_are_fixed_when_the_round_starts(walk: Walk) -> None:
    for before, after, kinds in changes(walk):
        if r.RoundStarted in kinds:
            peril = after.player(after.peril)
            assert peril is not None
            assert after.round == before.round + 1
            assert after.sides == DIE[len(after.living)]
            assert after.picks_each == 4 - peril.lives
            assert after.queue[0] == after.peril
            assert set(after.queue) == set(after.living)
            rest = [k for k in after.living if k != after.peril]
            assert list(after.queue[1:]) == rest
        elif r.PerilDrawn not in kinds:
            assert (after.sides, after.picks_each) == (before.sides, before.picks_each)
            assert after.round == before.round


@peril_law(35)
def test_only_the_living_are_asked_and_only_while_there_is_picking(walk: Walk) -> None:
    for play in plays(walk):
        assert bool(play.queue) == (play.stage == "picking")
        assert set(play.queue) <= set(play.living)


@peril_law(35)
def test_who_is_out_stays_out_with_no_life_and_no_number(walk: Walk) -> None:
    gone: set[Key] = set()
    for play in plays(walk):
        out = {p.key for p in play.players if p.out}
        assert gone <= out
        gone = out
        for player in play.players:
            if player.out:
                assert (player.lives, player.picks, player.marked) == (0, (), ())
        assert play.peril not in out


@peril_law(35)
def test_numbers_are_chosen_in_the_dialog_only_by_the_one_who_picks(walk: Walk) -> None:
    for play in plays(walk):
        choosing = [p.key for p in play.players if p.marked]
        assert choosing in ([], list(play.queue[:1]))
        for player in play.players:
            assert set(player.marked) <= set(play.free)
            assert len(set(player.marked)) == len(player.marked) <= play.picks_each


@peril_law(35)
def test_each_avatar_is_recorded_at_most_once_and_a_bot_never(walk: Walk) -> None:
    table = walk.table
    scored = table.told(lobby.Scored)
    assert len({s.key for s in scored}) == len(scored)
    for score in scored:
        seat = table.match.seat(score.key)
        assert seat is not None
        assert not seat.bot
        assert score.name
    winners = [s.key for s in scored if s.won]
    assert winners in ([], [w.key for w in table.told(r.MatchWon)])


@settings(ONLY, max_examples=15)
@given(
    seed=st.integers(0, 2**32),
    bots=st.integers(2, 9),
    lives=st.sampled_from((1, 2, 3)),
    succession=st.sampled_from(("random", "join_order")),
    pace=st.sampled_from(("normal", "brisk")),
)
def test_a_match_of_bots_has_one_winner(
    seed: int, bots: int, lives: int, succession: str, pace: str
) -> None:
    table = Table(SeededDice(seed), lives=lives, succession=succession, pace=pace)
    table.bots(bots)
    table.begin()
    table.run_out()
    (won,) = table.told(r.MatchWon)
    assert table.match.play.living == (won.key,)
    eliminated = [e.key for e in table.told(r.PlayerEliminated)]
    assert len(set(eliminated)) == len(eliminated) == bots - 1
    assert won.key not in eliminated
