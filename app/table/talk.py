"""Touches and dialogs: what an avatar means, put to the table as a command.

Every edge (LSL, page, REST) hands in the same two things: somebody touched, somebody pressed.
"""

from __future__ import annotations

import msgspec

from app import codes, consoles, people
from app.errors import Refused
from app.games import boards, languages, lobby, menus
from app.games.core import Actor, Command, Key, Refusal
from app.games.dialogs import Button
from app.table.hot import Dialog, HotTable, Outcome
from app.table.service import Tables

TOKEN_PARTS = 5


class Answer(msgspec.Struct, frozen=True, gc=False):
    """What one avatar gets for what he did: a refusal or not, lines to him alone, a dialog.

    `aside`: a line to him alone that belongs to no state, so that no news brings it.
    """

    match_id: str
    seq: int
    refusal: Refusal | None = None
    lines: tuple[str, ...] = ()
    dialog: Dialog | None = None
    aside: str = ""


async def command(
    tables: Tables, table_id: str, actor: Actor, what: Command, command_id: str | None
) -> Answer:
    """Put a command to the table.

    A refusal brings the dialog that is due once more, a join the menu of the lobby; others get
    theirs with the news.
    """
    outcome = await tables.submit(table_id, actor, what, command_id)
    if outcome.refusal is not None:
        return _answer(outcome, actor.key, tables.hot[table_id].now.due(actor.key))
    if isinstance(what, lobby.Join):
        return _answer(outcome, actor.key, tables.hot[table_id].now.dialog(actor.key, "lobby", 0))
    return _answer(outcome, actor.key, None)


async def touch(
    tables: Tables, table_id: str, actor: Actor, command_id: str | None = None
) -> Answer:
    """Somebody touches table, HUD or floater: he joins, or his dialog comes (back)."""
    table = await tables.table(table_id)
    state = table.now
    meant = menus.touch(state.game, state.match, table.actor(actor.key))
    if isinstance(meant, Refusal) and await _was_old(tables, table):
        state = table.now
        meant = menus.touch(state.game, state.match, table.actor(actor.key))
    if isinstance(meant, Refusal):
        return Answer(state.match_id, state.seq, meant)
    if isinstance(meant, str):
        return Answer(state.match_id, state.seq, dialog=state.dialog(actor.key, meant, 0))
    outcome = await tables.submit(table_id, actor, meant, command_id)
    state = table.now
    if outcome.refusal is not None and outcome.refusal.code != "already_seated":
        return _answer(outcome, actor.key, None)
    name = menus.touch(state.game, state.match, table.actor(actor.key))
    dialog = state.dialog(actor.key, name, 0) if isinstance(name, str) else None
    return _answer(msgspec.structs.replace(outcome, refusal=None), actor.key, dialog)


async def turn_ranking(
    tables: Tables, table_id: str, actor: Actor, column: int, row: int
) -> Answer:
    """Somebody touches a cell of the ranking: the page turns for all, or nothing happens."""
    table = await tables.table(table_id)
    state = table.now
    size = table.text_sets.get("Leaderboard", boards.NO_SET)
    page = boards.ranking_turn(size, state.ranking, column, row)
    if page is None:
        return Answer(state.match_id, state.seq)
    return _answer(await tables.submit(table_id, actor, lobby.TurnRanking(page)), actor.key, None)


async def press(
    tables: Tables,
    table_id: str,
    actor: Actor,
    token: str,
    label: str,
    command_id: str | None = None,
) -> Answer:
    """Somebody pressed a button of a dialog he was given.

    A dialog that is no longer what it was does nothing: the sender is told, and gets the one that
    is due instead.
    """
    table = await tables.table(table_id)
    name, page = _named(token)
    dialog = table.now.dialog(actor.key, name, page)
    gone = dialog is None or dialog.token != token
    if gone and await _was_old(tables, table):
        dialog = table.now.dialog(actor.key, name, page)
        gone = dialog is None or dialog.token != token
    if command_id is not None:
        if gone and command_id not in table.answers:
            await tables.recall(table, [command_id])
        known = table.answers.get(command_id)
        if known is not None and known.actor == actor.key:
            return _answer(known, actor.key, table.now.due(actor.key))
    if dialog is None or gone:
        return _not_due(table, actor.key, dialog)
    made = dialog.made
    state = table.now
    button = made.button(label)
    if made.typed:
        button = menus.typed(state.game, state.match, actor.key, made, label)
    if button is None:
        return _refused(table, Refusal("not_offered"), dialog)
    if button.then in menus.LINKS:
        return await _linked(tables, table, actor, button.then)
    if button.then.startswith(languages.SPEAK):
        return await _spoken(tables, table, actor, button.then.removeprefix(languages.SPEAK))
    if button.command is None:
        return _opened(table, actor, button)
    outcome = await tables.submit(table_id, actor, button.command, command_id)
    if outcome.refusal is not None:
        again = table.now.due(actor.key) or table.now.dialog(actor.key, name, page)
        return _answer(outcome, actor.key, again)
    return _answer(outcome, actor.key, _follow(table, actor, button))


async def _was_old(tables: Tables, table: HotTable) -> bool:
    """Before somebody is refused: has another process a newer state?  Then this one has it now."""
    before = table.now.seq
    if tables.store.shared:
        await tables.look(table, before + 1)
    return table.now.seq != before


def _named(token: str) -> tuple[str, int]:
    parts = token.split("~")
    if len(parts) != TOKEN_PARTS or not parts[1].isdecimal() or len(parts[1]) > 3:
        return "", 0
    return parts[0], int(parts[1])


def _not_due(table: HotTable, key: Key, changed: Dialog | None) -> Answer:
    due = table.now.due(key)
    return _refused(table, Refusal("not_due"), due or changed)


def _refused(table: HotTable, refusal: Refusal, dialog: Dialog | None) -> Answer:
    return Answer(table.now.match_id, table.now.seq, refusal, dialog=dialog)


def _opened(table: HotTable, actor: Actor, button: Button) -> Answer:
    return Answer(table.now.match_id, table.now.seq, dialog=_follow(table, actor, button))


async def _linked(tables: Tables, table: HotTable, actor: Actor, which: str) -> Answer:
    """A link to his own data or to the console of his tables, for him alone."""
    state = table.now
    if not actor.himself:
        return _refused(table, Refusal("in_person"), state.due(actor.key))
    make, life_s = _LINKS[which]
    link, minutes = await make(tables, actor.key), life_s // 60
    line = state.theme_of(actor.key).say("whisper", which, link=link, minutes=minutes)
    return Answer(state.match_id, state.seq, dialog=state.due(actor.key), aside=line)


_LINKS = {
    menus.MY_DATA: (people.link, codes.LIFE_S),
    menus.CONSOLE: (consoles.link, codes.CONSOLE_S),
}


async def _spoken(tables: Tables, table: HotTable, actor: Actor, language: str) -> Answer:
    """He has chosen his language ("": the table's) and goes on in it."""
    await people.speak(tables, actor.key, language)
    line = table.now.theme_of(actor.key).say("whisper", "language")
    back = _follow(table, actor, Button("", then="game"))
    return Answer(table.now.match_id, table.now.seq, dialog=back, aside=line)


def _follow(table: HotTable, actor: Actor, button: Button) -> Dialog | None:
    state = table.now
    if not button.then:
        return state.due(actor.key)
    name = menus.follow(state.game, state.match, table.actor(actor.key), button.then)
    return state.dialog(actor.key, name, button.page) if name else None


def _answer(outcome: Outcome, key: Key, dialog: Dialog | None) -> Answer:
    mine = tuple(line for who, line in outcome.lines if who == key)
    return Answer(outcome.match_id, outcome.seq, outcome.refusal, mine, dialog)


def refused(table: HotTable, key: Key, answer: Answer) -> Refused:
    """The refusal in `answer` as an error to raise, in the words of this avatar."""
    assert answer.refusal is not None
    return Refused(answer.refusal, table.now.theme_of(key))
