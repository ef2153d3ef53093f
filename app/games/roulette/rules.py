"""Hosted Russian roulette: the rules, with decisions D1–D25 of their specification.

Pure: a match, a command and dice in; events or a refusal out.  Numbers in comments are sections
and decisions of the rule text.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.games.clock import Timer
from app.games.core import Actor, Command, Dice, Event, Key, Refusal, Wait
from app.games.lobby import MatchClosed, Scored
from app.games.roulette.state import Play, Player, RouletteMatch, RouletteOptions, evolve
from app.games.roulette.words import (
    Battle,
    Cause,
    Chamber,
    Duel,
    Eliminated,
    FinalsStarted,
    ForcedSteal,
    GameOver,
    GameStarted,
    LooseTrigger,
    Missed,
    MustPull,
    Pass,
    Passed,
    PassStolen,
    Picked,
    Pull,
    QuickDraw,
    QuickDrawn,
    Rolled,
    RoundStarted,
    Safe,
    Shown,
    Steal,
    StealTried,
)
from app.games.story import Story

Answer = Sequence[Event] | Refusal


def start(match: RouletteMatch, dice: Dice) -> Sequence[Event]:
    story = Story(evolve, match)
    story.tell(GameStarted(tuple(s.key for s in match.seats), options_of(match).chambers))
    _next_turn(story, dice)
    return story.events


def options_of(match: RouletteMatch) -> RouletteOptions:
    assert isinstance(match.options, RouletteOptions)
    return match.options


# ---- what is legal --------------------------------------------------------------------------


def targets(match: RouletteMatch, what: type[Command]) -> tuple[Key, ...]:
    """At whom the player in turn may `Steal` or `QuickDraw` now; nobody if he may not."""
    play = match.play
    assert play is not None
    if what is Steal:
        return () if _why_no_steal(match, play) else play.holders
    return () if _why_no_quick_draw(match, play) else play.others


def legal(match: RouletteMatch) -> tuple[type[Command], ...]:
    """The kinds of command that are open to the player in turn."""
    play = match.play
    if play is None or play.phase == "over":
        return ()
    found: list[type[Command]] = []
    if not play.must_steal:
        found.append(Pull)
    if not _why_no_pass(play):
        found.append(Pass)
    return (*found, *(what for what in (Steal, QuickDraw) if targets(match, what)))


def _turn(play: Play) -> Player:
    player = play.player(play.turn)
    assert player is not None
    return player


def _why_no_pass(play: Play) -> str:
    if play.must_pull:
        return "illegal_must_pull"
    if play.must_steal:
        return "illegal_must_steal"
    return "" if _turn(play).has_pass else "illegal_no_pass"


def _why_no_steal(match: RouletteMatch, play: Play) -> str:
    """3.4, 5.3, 6.1: why the player in turn may not steal, or ''."""
    thieves = options_of(match).thieves
    if play.must_pull:
        return "illegal_must_pull"
    if play.phase == "finals" and not thieves:
        return "illegal_finals"
    if _turn(play).has_pass and not thieves:
        return "illegal_own_pass"
    return "" if play.holders else "illegal_no_holder"


def _why_no_quick_draw(match: RouletteMatch, play: Play) -> str:
    """6.2: why the player in turn may not shoot at another one, or ''."""
    if not options_of(match).quick_draw:
        return "illegal_no_quick_draw"
    if play.must_pull:
        return "illegal_must_pull"
    if play.must_steal or play.chamber < 2:
        return "illegal_must_steal"
    if _turn(play).drew:
        return "illegal_drew"
    return "" if play.phase == "main" and len(play.alive) >= 3 else "illegal_two_left"


# ---- commands -------------------------------------------------------------------------------


def decide(match: RouletteMatch, actor: Actor, command: Command, dice: Dice) -> Answer:
    play = match.play
    assert play is not None
    player = play.player(actor.key)
    if player is None or not player.alive:
        return Refusal("not_alive")
    if play.turn != player.key:
        return Refusal("not_your_turn", {"name": match.name(play.turn)})
    why = _why_not(match, play, command)
    if why:
        return Refusal(why)
    story = Story(evolve, match)
    match command:
        case Pull():
            _fire(story, player.key, dice, "pull")
        case Pass():
            story.tell(Passed(player.key, forced=False))
        case Steal(target):
            _steal(story, player.key, target, dice)
        case QuickDraw(target):
            story.tell(QuickDrawn(player.key, target))
            _fire(story, target, dice, "quickDraw")
            story.tell(MustPull(player.key, _play(story).chamber))
            return story.events
    _next_turn(story, dice)
    return story.events


def _why_not(match: RouletteMatch, play: Play, command: Command) -> str:
    match command:
        case Pull():
            return "illegal_must_steal" if play.must_steal else ""
        case Pass():
            return _why_no_pass(play)
        case Steal(target):
            why = _why_no_steal(match, play)
            return why or ("" if target in play.holders else "illegal_steal_target")
        case QuickDraw(target):
            why = _why_no_quick_draw(match, play)
            return why or ("" if target in play.others else "illegal_shot_target")
    return "illegal"


def _play(story: Story[Play]) -> Play:
    assert story.match.play is not None
    return story.match.play


def _fire(story: Story[Play], at: Key, dice: Dice, cause: Cause) -> None:
    """3.2, 6.2, 6.3: the player in turn fires the gun at `at`, himself or another one."""
    play = _play(story)
    shooter, of = play.turn, play.chamber
    # At chamber 1 there is nothing to roll.
    roll = dice.roll(of, "gun") if of > 1 else 1
    story.tell(Rolled(shooter, roll, of, at))
    if roll == of:
        _eliminate(story, at, cause)
        story.tell(Chamber(of, play.chambers, "reset"))
        return
    story.tell(Safe(at))
    story.tell(Chamber(of, of - 1, "decrease"))
    if roll == 1 and options_of(story.match).loose_trigger:
        target = dice.choose(_play(story).others, "target")
        story.tell(LooseTrigger(shooter, target))
        if _battle(story, "looseTrigger", shooter, target, dice) == "attacker":
            _eliminate(story, target, "looseTrigger")
        else:
            story.tell(Missed(shooter, target))  # D16: the attacker is immune


def _steal(story: Story[Play], attacker: Key, defender: Key, dice: Dice) -> None:
    story.tell(StealTried(attacker, defender))
    if _battle(story, "steal", attacker, defender, dice) == "attacker":
        story.tell(PassStolen(defender, attacker))
        _eliminate(story, defender, "stealDefender")
    else:
        _eliminate(story, attacker, "stealAttacker")


def _battle(story: Story[Play], kind: Duel, attacker: Key, defender: Key, dice: Dice) -> str:
    """Both roll 100 until one is higher; who has won."""
    while True:
        mine, his = dice.roll(100, "battle"), dice.roll(100, "battle")
        result = "tie" if mine == his else "attacker" if mine > his else "defender"
        story.tell(Battle(kind, attacker, defender, mine, his, result))  # type: ignore[arg-type]
        if result != "tie":
            return result


def _eliminate(story: Story[Play], key: Key, cause: Cause, *, counts: bool = True) -> None:
    story.tell(Eliminated(key, cause))
    if counts:
        _score(story, key, won=False)


def _score(story: Story[Play], key: Key, *, won: bool) -> None:
    seat = story.match.seat(key)
    if seat is not None and not seat.bot and story.match.ranked:
        story.tell(Scored(key, seat.name, won))


# ---- turns ----------------------------------------------------------------------------------


def _next_turn(story: Story[Play], dice: Dice) -> None:
    """3.1, 4, 5: whose turn it is now, over all turns in which there is nothing to choose."""
    while not _finished(story):
        _begin_finals(story)
        play = _play(story)
        if play.phase == "finals":
            key = play.finals_next or dice.choose(play.alive, "pick")  # D8: one draw, then in turn
        else:
            if not play.pool:
                story.tell(RoundStarted(play.round + 1))
            key = dice.choose(_play(story).pool, "pick")
        story.tell(Picked(key, play.chamber))
        if not _plays_itself(story):
            return


def _finished(story: Story[Play]) -> bool:
    """1: the last one alive has won."""
    play = _play(story)
    if len(play.alive) > 1:
        return False
    winner = play.alive[0]
    story.tell(GameOver(winner))
    if play.acts:
        _score(story, winner, won=True)
    return True


def _begin_finals(story: Story[Play]) -> None:
    """5.1, D9: two are left and no turn is open."""
    play = _play(story)
    if play.phase != "main" or len(play.alive) != 2:
        return
    story.tell(FinalsStarted(play.alive))
    if options_of(story.match).finals_reset:
        story.tell(Chamber(play.chamber, play.chambers, "reset"))


def _plays_itself(story: Story[Play]) -> bool:
    """4: at chamber 1 the turn is played by the rules, but for the target of a forced steal."""
    play = _play(story)
    if play.chamber > 1:
        return False
    if _turn(play).has_pass:
        story.tell(Passed(play.turn, forced=True))
        return True
    if not _why_no_steal(story.match, play):
        story.tell(ForcedSteal(play.turn, play.holders))
        return False
    _die_at_one(story)
    return True


def _die_at_one(story: Story[Play]) -> None:
    """4.3, D5: the one in turn is out without a roll, and the chamber is full again."""
    play = _play(story)
    _eliminate(story, play.turn, "chamberOne")
    story.tell(Chamber(play.chamber, play.chambers, "reset"))


def remove(match: RouletteMatch, key: Key, cause: str, dice: Dice) -> Sequence[Event]:
    """7, D20: out, and the chamber stays as it is; nothing if he is out already.

    Who is kicked goes without a record.
    """
    play = match.play
    assert play is not None
    player = play.player(key)
    if player is None or not player.alive or match.stage != "playing":
        return []
    story = Story(evolve, match)
    why: Cause = "timeout" if cause == "silent" else "left"
    _eliminate(story, key, why, counts=cause != "kicked")
    if key == play.turn or len(_play(story).alive) == 1:
        _next_turn(story, dice)
    elif play.must_steal and not _play(story).holders:
        # The last pass went with its holder: there is nothing left to steal.
        _die_at_one(story)
        _next_turn(story, dice)
    return story.events


# ---- silence, bots and the clock ------------------------------------------------------------


def silent(match: RouletteMatch, wait: Wait, dice: Dice) -> Answer:
    """D19: the server pulls for whom stays silent, or he is out, as the table's options say."""
    if options_of(match).on_timeout == "eliminate":
        return remove(match, wait.key, "silent", dice)
    actor = Actor(wait.key, match.name(wait.key))
    return decide(match, actor, _least(match, dice), dice)


def _least(match: RouletteMatch, dice: Dice) -> Command:
    """The one action that is always possible."""
    play = match.play
    assert play is not None
    return Steal(dice.choose(play.holders, "target")) if play.must_steal else Pull()


def act_for(match: RouletteMatch, wait: Wait, dice: Dice) -> Command:
    """What a bot does, by its character."""
    play = match.play
    assert play is not None
    choose = {"careful": _careful, "bold": _bold, "random": _at_random}[character(match, wait.key)]
    what = choose(play, _turn(play), legal(match), dice)
    if what in (Steal, QuickDraw):
        return what(dice.choose(targets(match, what), "target"))
    return what()


def character(match: RouletteMatch, key: Key) -> str:
    """How a bot plays; a bot in somebody's place is careful with it."""
    bots = options_of(match).bots
    number = key.removeprefix("bot:")
    if bots != "mixed":
        return bots
    return ("careful", "bold", "random")[(int(number) - 1) % 3] if number.isdigit() else "careful"


def _careful(
    play: Play, player: Player, open_: tuple[type[Command], ...], _: Dice
) -> type[Command]:
    """Passes when it gets hot, steals rather than dies, shoots only with a pass in hand."""
    if Pull not in open_:
        return Steal
    if Pass in open_ and play.chamber <= 3:
        return Pass
    if Steal in open_ and not player.has_pass and play.chamber == 2:
        return Steal
    if QuickDraw in open_ and player.has_pass and play.chamber >= 5:
        return QuickDraw
    return Pull


def _bold(play: Play, _: Player, open_: tuple[type[Command], ...], __: Dice) -> type[Command]:
    """Shoots first, robs where it can, and passes only before the last but one chamber."""
    for what in (QuickDraw, Steal):
        if what in open_:
            return what
    return Pass if Pass in open_ and play.chamber == 2 else Pull


def _at_random(_: Play, __: Player, open_: tuple[type[Command], ...], dice: Dice) -> type[Command]:
    return dice.choose(open_, "kind")


def waits(match: RouletteMatch) -> Sequence[Wait]:
    play, options = match.play, options_of(match)
    if play is None or play.phase == "over":
        return ()
    return (Wait(play.turn, "turn", options.paced(options.bot_turn_s)),)


def pauses(match: RouletteMatch) -> Sequence[Timer]:
    play, options = match.play, options_of(match)
    if play is None:
        return ()
    if play.phase == "over":
        return (Timer("victory", match.phase, options.victory_s),)
    return (Timer("shown", play.news_no, options.paced(options.shown_s)),) if play.news else ()


def elapse(match: RouletteMatch, timer: Timer, dice: Dice) -> Sequence[Event]:  # noqa: ARG001
    """What follows when one of `pauses` is over."""
    return [Shown()] if timer.name == "shown" else [MatchClosed("victory")]
