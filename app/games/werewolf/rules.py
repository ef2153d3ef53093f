"""Werewolf: what everybody may do and when, with the decisions W1–W34 of the rule text.

Pure: a match, a command and dice in; events or a refusal out.  What the ends of the steps bring
about is in `steps`, what bots do in `bots`.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from app.display import clip
from app.games.clock import CLOCK, Hour, Timer
from app.games.core import Actor, Command, Dice, Event, Key, Refusal, Seat, Wait
from app.games.lobby import Joined, MatchClosed
from app.games.werewolf import events as ev
from app.games.werewolf import steps
from app.games.werewolf import words as w
from app.games.werewolf.state import NIGHT, Play, Player, WerewolfMatch, options_of
from app.games.werewolf.words import DECK, Phase, Role, What

Answer = Sequence[Event] | Refusal

EVENINGS = 2
EVENING = 21 * 60 + 30
"""A day of the calendar ends at the second evening at this minute of the day."""

TEXT_BYTES = 600
"""Last words and whispers are cut to this, so that they fit into a line of chat."""

SKILLS: dict[type[Command], tuple[What, Role, Phase]] = {
    w.Arrow: ("arrow", "cupid", "night0"),
    w.Protect: ("protect", "guard", "n1"),
    w.Soundproof: ("soundproof", "guard", "n1"),
    w.Pipe: ("pipe", "piper", "n2"),
    w.Check: ("check", "seer", "n345"),
    w.Kill: ("kill", "wolf", "n345"),
    w.Antidote: ("antidote", "witch", "n6"),
    w.Poison: ("poison", "witch", "n6"),
}
"""What a command is for, whose it is, and when."""

MUST: tuple[What, ...] = ("arrow", "check", "successor")
"""Choices that cannot be taken back."""

KEPT_SKILLS: tuple[Role, ...] = ("wolf", "piper")
"""4.4: who does not lose his skills with the elder."""


def start(match: WerewolfMatch, dice: Dice) -> Sequence[Event]:
    """W22: bots take the seats that are left, then the roles are dealt."""
    taken = {s.key for s in match.seats}
    names = {s.name for s in match.seats}
    free = (n for n in range(1, 100) if f"bot:{n}" not in taken and f"Bot{n}" not in names)
    joined: list[Event] = []
    seats = match.seats
    while len(seats) + len(joined) < len(DECK):
        number = next(free)
        joined.append(Joined(Key(f"bot:{number}"), f"Bot{number}", bot=True))
    with_bots = match
    for event in joined:
        with_bots = _seated(with_bots, event)
    story = steps.story_of(with_bots)
    steps.deal(story, dice)
    return [*joined, *story.events]


def _seated(match: WerewolfMatch, event: Event) -> WerewolfMatch:
    assert isinstance(event, Joined)
    seat = Seat(event.key, event.name, bot=True, ready=True)
    return replace(match, seats=(*match.seats, seat))


# ---- what is legal --------------------------------------------------------------------------


def asked(match: WerewolfMatch, key: Key) -> tuple[What, ...]:
    """What this player chooses in the step that is on, in this order; nothing if he does not act.

    Who has nothing to do notes somebody, so that nobody sees who has.
    """
    play = match.play
    player = play.player(key) if play else None
    if play is None or player is None:
        return ()
    if play.phase == "succession":
        return ("successor",) if key == play.sheriff else ()
    if play.phase not in NIGHT or not player.living:
        return ()
    lost = play.skills_lost and player.role not in KEPT_SKILLS
    whats = [] if lost else [s[0] for s in SKILLS.values() if s[1:] == (player.role, play.phase)]
    if play.phase == "night0" and whats:
        return ("arrow", "arrow")
    return tuple(what for what in whats if targets(match, key, what)) or ("note",)


def targets(match: WerewolfMatch, key: Key, what: What) -> tuple[Key, ...]:
    """Whom this player may choose for it now."""
    play = match.play
    player = play.player(key) if play else None
    if play is None or player is None:
        return ()
    return tuple(k for k in play.living if not _why_not(match, play, player, what, k))


def _why_not(  # noqa: PLR0911 - a list of reasons
    match: WerewolfMatch, play: Play, player: Player, what: What, target: Key
) -> str:
    """Why this target cannot be chosen, or ''."""
    if not target:
        return "bad_target" if what in MUST else ""
    aimed = play.player(target)
    if aimed is None or not aimed.living:
        return "bad_target"
    options, himself = options_of(match), target == player.key
    match what:
        case "arrow" if himself:
            return "bad_target"
        case "protect" if options.guard_repeat == "each" and target == play.last_protect:
            return "two_nights_running"
        case "soundproof" if options.guard_repeat == "each" and target == play.last_soundproof:
            return "two_nights_running"
        case "pipe" if aimed.crazed or (himself and not options.piper_self):
            return "bad_target"
        case "check" if play.check:
            return "once_per_night"
        case "antidote" if play.antidote_used:
            return "used"
        case "antidote" if aimed.status != "dying":
            return "bad_target"
        case "poison" if play.poison_used:
            return "used"
        case "poison" if himself:
            return "bad_target"
    return ""


# ---- commands -------------------------------------------------------------------------------


def decide(match: WerewolfMatch, actor: Actor, command: Command, dice: Dice) -> Answer:
    play = match.play
    assert play is not None
    player = play.player(actor.key)
    assert player is not None
    answer = _events(match, play, player, command)
    if isinstance(answer, str):
        return Refusal(answer)
    story = steps.story_of(match)
    for event in answer:
        story.tell(event)
    if not player.done and _everybody_is_done(story.match):
        steps.close(story, dice)
    return story.events


def _events(  # noqa: PLR0911 - a list of commands
    match: WerewolfMatch, play: Play, player: Player, command: Command
) -> list[Event] | str:
    """What a command says by itself, or why it cannot be done."""
    match command:
        case w.LastWords(text):
            return _last_words(player, text)
        case w.Unveil(shown):
            return [ev.Unveiled(player.key, shown)]
        case w.Successor(target):
            if play.phase != "succession" or player.key != play.sheriff:
                return "is_out_himself" if not player.living else "not_now"
            return _choose(match, play, player, "successor", (target,))
        case w.Rest(aims) if play.phase == "succession" and player.key == play.sheriff:
            return _rest(match, play, player, aims)
    if not player.living:
        return "is_out_himself"
    match command:
        case w.Rest(aims):
            return _rest(match, play, player, aims) if play.phase in NIGHT else "not_now"
        case w.Vote(target):
            if play.phase != "day":
                return "not_now"
            why = _why_not(match, play, player, "note", target)
            return why or [ev.Voted(player.key, target)]
        case w.Whisper(group, text):
            return _whisper(play, player, group, text)
    return _skill(match, play, player, command)


def _skill(match: WerewolfMatch, play: Play, player: Player, command: Command) -> list[Event] | str:
    """3.4: a skill of a role, refused in the order of the rule text."""
    what, role, phase = SKILLS[type(command)]
    if player.role != role:
        return "not_your_role"
    if play.phase != phase:
        return "not_now"
    if play.skills_lost and role not in KEPT_SKILLS:
        return "skill_lost"
    aims = (command.one, command.other) if isinstance(command, w.Arrow) else (command.target,)  # type: ignore[attr-defined]
    return _choose(match, play, player, what, aims)


def _choose(
    match: WerewolfMatch, play: Play, player: Player, what: What, aims: tuple[Key, ...]
) -> list[Event] | str:
    for target in aims:
        why = _why_not(match, play, player, what, target)
        if why:
            return why
    if len(set(aims)) < len(aims):
        return "bad_target"
    (target, *_) = aims
    if what == "kill":
        return [ev.WolfChoice(player.key, target, play.pack)]
    if what == "check" and player.key not in play.lovers:
        return [steps.checked(match, player.key, target)]
    return [ev.Chosen(player.key, what, aims)]


def _rest(
    match: WerewolfMatch, play: Play, player: Player, aims: tuple[Key, ...]
) -> list[Event] | str:
    """Done, with as many of the choices as are given; those left out stay as they are."""
    whats = asked(match, player.key)
    if len(aims) > len(whats):
        return "bad_target"
    events: list[Event] = []
    given: list[tuple[What, tuple[Key, ...]]] = [
        (what, (aim,)) for what, aim in zip(whats, aims, strict=False) if aim or what not in MUST
    ]
    if whats[:2] == ("arrow", "arrow"):
        given = [("arrow", aims)] if aims else []
        if len(aims) == 1:
            return "bad_target"
    for what, chosen in given:
        answer = _choose(match, play, player, what, chosen)
        if isinstance(answer, str):
            return answer
        events += answer
    return [*events, ev.Rested(player.key)]


def _last_words(player: Player, text: str) -> list[Event] | str:
    if not player.words:
        return "not_now"
    said = written(text)
    return [ev.LastWordsSaid(player.key, said) if said else ev.WordsForgone(player.key)]


def _whisper(play: Play, player: Player, group: w.Group, text: str) -> list[Event] | str:
    heard = company(play, player.key, group)
    if not heard:
        return "nobody_hears"
    said = written(text)
    return [ev.Whispered(player.key, group, said, heard)] if said else "nothing_said"


def company(play: Play, key: Key, group: w.Group) -> tuple[Key, ...]:
    """8, W28: who is in a private group with this player, himself included; nobody if alone."""
    of = play.pack if group == "wolves" else tuple(k for k in play.lovers if k in play.living)
    return of if key in of and len(of) > 1 else ()


def written(text: str) -> str:
    """What somebody wrote as it may be said: one line, no control signs, bounded."""
    return clip("".join(c if c.isprintable() else " " for c in text).strip(), TEXT_BYTES)


# ---- who is waited for, and the clock -------------------------------------------------------


def _everybody_is_done(match: WerewolfMatch) -> bool:
    """3.1: a step of the night ends early only when all who are in say so, whatever they are."""
    play = match.play
    assert play is not None
    if play.phase == "day":
        return options_of(match).day_early and all(k in play.votes for k in play.living)
    if play.phase == "succession":
        heir = play.player(play.sheriff)
        return heir is not None and heir.done
    return all(p.done for p in play.players if p.living)


def _still_asked(play: Play) -> tuple[Key, ...]:
    if play.phase == "day":
        return tuple(k for k in play.living if k not in play.votes)
    if play.phase == "succession":
        return (play.sheriff,)
    if play.phase == "over":
        return ()
    return tuple(p.key for p in play.players if p.living and not p.done)


def waits(match: WerewolfMatch) -> Sequence[Wait]:
    """Who has something to answer.  The step's clock runs for all of them together."""
    play, options = match.play, options_of(match)
    if play is None or play.phase == "over":
        return ()
    bot_s = options.paced(options.bot_turn_s)
    speak = tuple(p.key for p in play.players if p.words)
    keys = dict.fromkeys((*_still_asked(play), *speak))
    return [Wait(key, play.phase, bot_s, together=True) for key in keys]


def pauses(match: WerewolfMatch) -> Sequence[Timer]:
    play, options = match.play, options_of(match)
    if play is None:
        return ()
    if play.phase == "over":
        return (Timer("victory", match.phase, options.victory_s),)
    if play.phase == "day" and options.days == "calendar":
        hour = Hour(EVENING, options.utc_offset)
        return (Timer(CLOCK, match.phase, options.turn_s, until=hour),)
    lasts = {"day": options.turn_s, "succession": options.succession_s}
    return (Timer(CLOCK, match.phase, lasts.get(play.phase, options.night_s)),)


def elapse(match: WerewolfMatch, timer: Timer, dice: Dice) -> Sequence[Event]:
    """What follows when one of `pauses` is over."""
    if timer.name == "victory":
        return [MatchClosed("victory")]
    play = match.play
    assert play is not None
    if timer.until is not None and play.evening + 1 < EVENINGS:
        return [ev.EveningCame(play.evening + 1)]
    story = steps.story_of(match)
    steps.close(story, dice)
    return story.events


def remove(match: WerewolfMatch, key: Key, cause: str, dice: Dice) -> Sequence[Event]:  # noqa: ARG001
    """W21: who leaves is not out; his seat stays in play and does nothing by itself."""
    play = match.play
    player = play.player(key) if play else None
    if player is None or match.stage != "playing" or player.left == "kicked":
        return []
    if player.left == cause and next(s.auto for s in match.seats if s.key == key):
        return []
    return [ev.SeatLeft(key, cause)]  # type: ignore[arg-type]
