"""What bots do: some play for the victory of their camp, some at random.

The seat of somebody who is away does nothing (W21).
"""

from __future__ import annotations

from app.games.core import NOBODY, Command, Dice, Key, Wait
from app.games.werewolf import words as w
from app.games.werewolf.rules import asked, targets
from app.games.werewolf.state import Play, WerewolfMatch, options_of
from app.games.werewolf.words import What

HEALS, POISONS = 30, 25
"""Of a hundred nights in which the witch could."""


def act_for(match: WerewolfMatch, wait: Wait, dice: Dice) -> Command:
    """What a bot does in a seat that is waited for."""
    play = match.play
    assert play is not None
    key = wait.key
    player = play.player(key)
    assert player is not None
    if player.words and not (play.phase == "succession" and key == play.sheriff):
        return w.LastWords("…" if dice.roll(2, "words") == 1 else "")
    character = _character(match, key)
    if play.phase == "day":
        return w.Vote(_vote(play, key, character, dice))
    if character == "idle":
        return w.Rest()
    return w.Rest(tuple(_aims(match, play, key, character, dice)))


def _character(match: WerewolfMatch, key: Key) -> str:
    """How the bot in this seat plays; idle if it is the seat of somebody who is away."""
    seat, bots = match.seat(key), options_of(match).bots
    if seat is not None and seat.auto:
        return "idle"
    if bots != "mixed":
        return bots
    number = key.removeprefix("bot:")
    return ("goal", "random")[int(number) % 2] if number.isdigit() else "random"


def _vote(play: Play, key: Key, character: str, dice: Dice) -> Key:
    if character == "idle":
        return NOBODY
    player = play.player(key)
    assert player is not None
    if character == "goal" and play.day > 1:
        eager = player.role == "wolf" or (player.camp == "piper" and play.ever_crazed > 1)
        if eager or dice.roll(2, "vote") == 1:
            return key
    return dice.choose(play.living, "vote")


def _aims(match: WerewolfMatch, play: Play, key: Key, character: str, dice: Dice) -> list[Key]:
    """A target for each of the choices of this step, nobody where it chooses nothing."""
    whats = asked(match, key)
    if whats == ("arrow", "arrow"):
        return list(dice.sample(targets(match, key, "arrow"), 2, "arrow"))
    return [_aim(match, play, key, what, character, dice) for what in whats]


def _aim(match: WerewolfMatch, play: Play, key: Key, what: What, character: str, dice: Dice) -> Key:
    among = targets(match, key, what)
    if what == "kill":
        named = [play.kills[k] for k in play.pack if play.kills.get(k) in among]
        if named:  # the pack agrees with its first
            return named[0]
    chance = {"antidote": HEALS, "poison": POISONS}.get(what, 100)
    if not among or dice.roll(100, what) > chance:
        return NOBODY
    if character == "goal" and what in ("kill", "pipe") and key in among:
        return key
    return dice.choose(among, what)
