"""Peril Dice: the rules, from the official documents 3.2.0 and 3.3.0 and decisions D1–D7.

Pure: a match, a command and dice in; events or a refusal out.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.games.clock import Timer
from app.games.core import Actor, Command, Dice, Event, Key, Refusal, Wait
from app.games.lobby import MatchClosed, Scored
from app.games.peril.state import PerilMatch, PerilOptions, Play, Player, die_for, evolve
from app.games.peril.words import (
    DiceRolled,
    LifeLost,
    Mark,
    MatchWon,
    NumberMarked,
    NumbersPicked,
    NumberUnmarked,
    PerilDrawn,
    Pick,
    PlayerEliminated,
    PlotTwist,
    Roll,
    RoundStarted,
    RoundVoided,
    TitleRestored,
    Unmark,
)
from app.games.story import Story

Answer = Sequence[Event] | Refusal


def start(match: PerilMatch, dice: Dice) -> Sequence[Event]:
    return [PerilDrawn(dice.choose([s.key for s in match.seats], "peril"))]


def decide(match: PerilMatch, actor: Actor, command: Command, dice: Dice) -> Answer:
    play = match.play
    assert play is not None
    player = play.player(actor.key)
    if player is None or not player.living:
        return Refusal("already_out")
    match command:
        case Pick():
            return _pick(match, play, player, command)
        case Roll():
            return _roll(match, play, player, dice)
        case Mark() | Unmark():
            return _mark(match, play, player, command)
    return Refusal("wrong_game")


def _turn_to_pick(match: PerilMatch, play: Play, player: Player) -> Refusal | None:
    if play.stage != "picking":
        return Refusal("not_picking")
    if play.queue[0] != player.key:
        return Refusal(
            "picked_already" if player.picks else "not_your_turn",
            {"name": match.name(play.queue[0])},
        )
    return None


def _pick(match: PerilMatch, play: Play, player: Player, command: Pick) -> Answer:
    refusal = _turn_to_pick(match, play, player)
    if refusal:
        return refusal
    numbers = command.numbers
    if len(numbers) != play.picks_each:
        code = "too_few_numbers" if len(numbers) < play.picks_each else "too_many_numbers"
        return Refusal(code, {"needed": play.picks_each, "given": len(numbers)})
    if len(set(numbers)) < len(numbers):
        return Refusal("number_twice")
    for number in numbers:
        refusal = _unfree(match, play, number)
        if refusal:
            return refusal
    return [NumbersPicked(player.key, tuple(sorted(numbers)))]


def _unfree(match: PerilMatch, play: Play, number: int) -> Refusal | None:
    if not 1 <= number <= play.sides:
        return Refusal("out_of_range", {"number": number, "sides": play.sides})
    holder = next((p.key for p in play.players if number in p.picks), None)
    if holder is not None:
        return Refusal("number_taken", {"number": number, "name": match.name(holder)})
    return None


def _mark(match: PerilMatch, play: Play, player: Player, command: Mark | Unmark) -> Answer:
    refusal = _turn_to_pick(match, play, player)
    if refusal:
        return refusal
    if isinstance(command, Unmark):
        if command.number not in player.marked:
            return Refusal("not_marked", {"number": command.number})
        return [NumberUnmarked(player.key, command.number)]
    refusal = _unfree(match, play, command.number)
    if refusal:
        return refusal
    if command.number in player.marked:
        return Refusal("number_twice")
    if len(player.marked) >= play.picks_each:
        return Refusal(
            "too_many_numbers", {"needed": play.picks_each, "given": play.picks_each + 1}
        )
    return [NumberMarked(player.key, command.number)]


def _roll(match: PerilMatch, play: Play, player: Player, dice: Dice) -> Answer:
    if play.stage == "picking":
        return Refusal("picks_missing", {"name": match.name(play.queue[0])})
    if play.stage != "rolling":
        return Refusal("not_rolling")
    if player.key != play.peril:
        return Refusal("not_peril", {"name": match.name(play.peril)})
    return [DiceRolled(player.key, play.sides, dice.roll(play.sides, "roll"))]


def remove(match: PerilMatch, key: Key, cause: str, dice: Dice) -> Sequence[Event]:
    """A player leaves, is kicked or stays silent: D4 and D5.  Empty if he is out already."""
    story = Story(evolve, match)
    play = _playing(story)
    player = play.player(key)
    if player is None or player.out or play.stage == "victory":
        return story.events
    _finish_elimination(story)
    play = _playing(story)
    if len(play.living) == 1:  # decided by the roll, whoever goes while that is shown
        _win(story)
        return story.events
    if key not in play.living:
        return story.events
    was_peril = play.peril == key
    story.tell(PlayerEliminated(key, cause))  # type: ignore[arg-type]
    if cause != "kicked":
        _score(story, key, won=False)
    play = _playing(story)
    if len(play.living) == 1:
        _win(story)
    elif was_peril:
        if play.stage in ("picking", "rolling", "rolled"):
            story.tell(RoundVoided(play.round))
        _succeed(story, dice)
    return story.events


def elapse(match: PerilMatch, timer: Timer, dice: Dice) -> Sequence[Event]:
    """What follows when one of `pauses` is over."""
    story = Story(evolve, match)
    play = _playing(story)
    if timer.name == "title":
        story.tell(TitleRestored())
    elif play.stage == "drawn":
        _start_round(story)
    elif play.stage == "rolled":
        _resolve(story)
    elif play.stage == "outcome":
        if not _finish_elimination(story):
            _start_round(story)
    elif play.stage == "eliminated":
        if len(play.living) == 1:
            _win(story)
        else:
            _succeed(story, dice)
    elif play.stage == "victory":
        story.tell(MatchClosed("victory"))
    return story.events


def _playing(story: Story[Play]) -> Play:
    play = story.match.play
    assert play is not None
    return play


def _start_round(story: Story[Play]) -> None:
    play = _playing(story)
    peril = play.player(play.peril)
    assert peril is not None
    living = play.living
    order = (peril.key, *(k for k in living if k != peril.key))
    story.tell(RoundStarted(play.round + 1, die_for(len(living)), 4 - peril.lives, order))


def _resolve(story: Story[Play]) -> None:
    play = _playing(story)
    holder = next((p for p in play.players if play.roll in p.picks), None)
    peril = play.player(play.peril)
    assert peril is not None
    if holder is not None and holder.key != peril.key:
        story.tell(PlotTwist(holder.key, peril.key, play.roll))
    else:
        story.tell(LifeLost(peril.key, play.roll, own=holder is not None, left=peril.lives - 1))


def _finish_elimination(story: Story[Play]) -> bool:
    """Put out who has no life left; True if there was somebody."""
    play = _playing(story)
    struck = next((p for p in play.players if p.lives == 0 and not p.out), None)
    if struck is None:
        return False
    story.tell(PlayerEliminated(struck.key, "roll"))
    _score(story, struck.key, won=False)
    return True


def _succeed(story: Story[Play], dice: Dice) -> None:
    """D3: who is in peril after the Peril Player is gone."""
    living = _playing(story).living
    options = story.match.options
    assert isinstance(options, PerilOptions)
    first = options.succession == "join_order"
    story.tell(PerilDrawn(living[0] if first else dice.choose(living, "peril")))


def _win(story: Story[Play]) -> None:
    play = _playing(story)
    story.tell(MatchWon(play.living[0]))
    if play.rolls:
        _score(story, play.living[0], won=True)


def _score(story: Story[Play], key: Key, *, won: bool) -> None:
    seat = story.match.seat(key)
    if seat is not None and not seat.bot and story.match.ranked:
        story.tell(Scored(key, seat.name, won))


def act_for(match: PerilMatch, wait: Wait, dice: Dice) -> Command:
    """What a bot does, and the server for somebody silent: free numbers at random, or the roll."""
    play = match.play
    assert play is not None
    if wait.what == "roll":
        return Roll()
    return Pick(tuple(dice.sample(play.free, play.picks_each, "pick")))


def waits(match: PerilMatch) -> Sequence[Wait]:
    play, options = match.play, match.options
    assert isinstance(options, PerilOptions)
    if play is not None and play.stage == "picking":
        return (Wait(play.queue[0], "pick", options.paced(options.bot_pick_s)),)
    if play is not None and play.stage == "rolling":
        return (Wait(play.peril, "roll", options.paced(options.bot_roll_s)),)
    return ()


def pauses(match: PerilMatch) -> Sequence[Timer]:
    play, options = match.play, match.options
    assert isinstance(options, PerilOptions)
    if play is None:
        return ()
    shown = {
        "drawn": options.paced(options.draw_shown_s),
        "rolled": options.paced(options.roll_shown_s),
        "outcome": options.paced(options.outcome_shown_s),
        "eliminated": options.paced(options.elimination_shown_s),
        "victory": options.victory_s,
    }
    out = []
    if play.stage in shown:
        out.append(Timer(play.stage, match.phase, shown[play.stage]))
    elif play.news:
        out.append(Timer("title", play.news_no, options.paced(options.title_after_s)))
    return out
