"""Russian roulette as the table sees it: rules, looks and words under one name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.display import Board, Frame
from app.games.core import (
    Actor,
    Command,
    Dice,
    Event,
    Game,
    Key,
    Match,
    Private,
    RankingPage,
    Refusal,
    Timer,
    Wait,
)
from app.games.dialogs import Dialog
from app.games.roulette import board, menus, rules, state, words
from app.games.roulette.board import RoulettePublic
from app.games.texts import Theme


class RussianRoulette(Game[state.Play]):
    """See `words`, `state`, `rules`, `board`, `menus` and `themes/`."""

    name = "roulette"
    title = "Russian Roulette"
    seats = range(2, board.SEATS + 1)
    options = state.RouletteOptions
    presets = state.PRESETS
    commands = words.COMMANDS
    events = words.EVENTS
    play = state.Play

    def start(self, match: Match[state.Play], dice: Dice) -> Sequence[Event]:
        return rules.start(match, dice)

    def decide(
        self, match: Match[state.Play], actor: Actor, command: Command, dice: Dice
    ) -> Sequence[Event] | Refusal:
        return rules.decide(match, actor, command, dice)

    def evolve(self, match: Match[state.Play], event: Event) -> Match[state.Play]:
        return state.evolve(match, event)

    def waits(self, match: Match[state.Play]) -> Sequence[Wait]:
        return rules.waits(match)

    def pauses(self, match: Match[state.Play]) -> Sequence[Timer]:
        return rules.pauses(match)

    def elapse(self, match: Match[state.Play], timer: Timer, dice: Dice) -> Sequence[Event]:
        return rules.elapse(match, timer, dice)

    def act_for(self, match: Match[state.Play], wait: Wait, dice: Dice) -> Command:
        return rules.act_for(match, wait, dice)

    def silent(self, match: Match[state.Play], wait: Wait, dice: Dice) -> Sequence[Event] | Refusal:
        return rules.silent(match, wait, dice)

    def remove(self, match: Match[state.Play], key: Key, cause: str, dice: Dice) -> Sequence[Event]:
        return rules.remove(match, key, cause, dice)

    def public(self, match: Match[state.Play], ranking: RankingPage) -> RoulettePublic:
        return board.public(match, ranking)

    def private(self, match: Match[state.Play], key: Key) -> Private:
        return board.private(match, key)

    def board(
        self, view: RoulettePublic, theme: Theme, sizes: Mapping[str, tuple[int, int]]
    ) -> Board:
        return board.board(view, theme, sizes)

    def hud(self, view: RoulettePublic, private: Private, theme: Theme) -> Frame:
        return board.hud(view, private, theme)

    def due(self, match: Match[state.Play], key: Key) -> str:
        return menus.due(match, key)

    def dialog(
        self, match: Match[state.Play], key: Key, name: str, page: int, theme: Theme
    ) -> Dialog | None:
        return menus.dialog(match, key, name, page, theme)

    def lines(
        self, before: Match[state.Play], event: Event, theme: Theme
    ) -> Sequence[tuple[Key, str]]:
        return board.lines(before, event, theme)
