"""The ends of the steps of day and night: what the choices of a step come to, and who has won.

Numbers in comments are sections and decisions of the rule text; steps are numbered as there.
"""

from __future__ import annotations

from collections.abc import Callable

from app.games.core import NOBODY, Dice, Key
from app.games.lobby import HandedToBot, Scored
from app.games.story import Story
from app.games.werewolf import events as ev
from app.games.werewolf import words as w
from app.games.werewolf.state import (
    Play,
    Player,
    WerewolfMatch,
    WerewolfOptions,
    evolve,
    options_of,
)
from app.games.werewolf.words import DECK, Camp, Phase

WORDS_LEFT = 2
"""So many who go out first may leave last words."""

SPECIAL = ("seer", "witch", "guard", "elder")

WerewolfStory = Story[Play]


def story_of(match: WerewolfMatch) -> WerewolfStory:
    return Story(evolve, match)


def on(story: WerewolfStory) -> Play:
    assert story.match.play is not None
    return story.match.play


# ---- 04, 05: the deal -----------------------------------------------------------------------


def deal(story: WerewolfStory, dice: Dice) -> None:
    """W22: a random deal; everybody learns his role, the wolves each other."""
    keys = tuple(s.key for s in story.match.seats)
    story.tell(ev.GameStarted(keys))
    homes: dict[str, Camp] = {"wolf": "wolves", "piper": "piper"}
    for key, role in zip(keys, dice.sample(DECK, len(DECK), "roles"), strict=True):
        story.tell(ev.RoleDealt(key, role, homes.get(role, "villagers")))
    story.tell(ev.PackKnown(on(story).pack))
    story.tell(ev.PhaseBegan("night0", 0))


# ---- the ends of the steps ------------------------------------------------------------------


def close(story: WerewolfStory, dice: Dice) -> None:
    """The step that is on ends with the choices as they are."""
    _CLOSE[on(story).phase](story, dice)


def _night0(story: WerewolfStory, dice: Dice) -> None:
    """07: the lovers are made, by Cupid or (W24) by lot."""
    play = on(story)
    cupid = play.of("cupid").key
    pair = play.chosen.get("arrow")
    if pair is None:
        story.tell(ev.Defaulted("arrow"))
        pair = tuple(dice.sample([p.key for p in play.players if p.key != cupid], 2, "arrow"))
    story.tell(ev.LoversMade((pair[0], pair[1])))
    for key in (*pair, cupid):
        player = on(story).player(key)
        assert player is not None
        story.tell(ev.CampIs(key, player.camp))
    if not _won(story, "07"):
        story.tell(ev.PhaseBegan("day", 1))


def _day(story: WerewolfStory, dice: Dice) -> None:
    """09 and 18: the votes are counted."""
    _note_absent(story)
    play = on(story)
    counts = _counts(play)
    most = max(counts.values(), default=0)
    top = tuple(k for k in play.living if counts.get(k) == most)
    if play.day == 1:
        chosen = top[0] if len(top) == 1 else NOBODY
        story.tell(ev.Tally(counts, chosen))
        story.tell(ev.SheriffMade(chosen) if chosen else ev.NoSheriff())
        if not _won(story, "09"):
            story.tell(ev.PhaseBegan("n1", 1))
        return
    tie_break = play.votes.get(play.sheriff, NOBODY)
    chosen = top[0] if len(top) == 1 else tie_break if tie_break in top else NOBODY
    story.tell(ev.Tally(counts, chosen))
    if not chosen:
        chosen = _lot(story, play, top or play.living, dice)
    outs = _put_out(story, chosen, "vote") if chosen else ()
    if not _won(story, "18"):
        _announce(story, outs)
        _go_on(story, "n1")


def _counts(play: Play) -> dict[Key, int]:
    """3.2, 5.2: the sheriff's vote counts twice."""
    counts: dict[Key, int] = {}
    for voter, target in play.votes.items():
        if target:
            counts[target] = counts.get(target, 0) + (2 if voter == play.sheriff else 1)
    return counts


def _note_absent(story: WerewolfStory) -> None:
    """W21: who says nothing day after day, a bot takes over."""
    match, play = story.match, on(story)
    silent = tuple(
        s.key
        for s in match.seats
        if not s.by_bot and s.key in play.living and s.key not in play.votes
    )
    if not silent:
        return
    story.tell(ev.Absent(silent))
    for key in silent:
        player = on(story).player(key)
        assert player is not None
        if player.missed >= match.options.afk_limit:
            gone = match.options.afk == "remove"
            story.tell(ev.SeatLeft(key, "silent") if gone else HandedToBot(key))


def _lot(story: WerewolfStory, play: Play, among: tuple[Key, ...], dice: Dice) -> Key:
    """W29: after quiet days in a row the lot decides; nobody if it does not come to that.

    A limit of 0 means never, as long as any person who is in still takes part.
    """
    limit = options_of(story.match).stall_limit
    if limit == 0 and not _attended(story.match, play):
        limit = 3
    quiet = (0 if play.changed else play.quiet) + 1
    if not limit or quiet <= limit:
        story.tell(ev.QuietDay(quiet, lot_next=quiet == limit))
        return NOBODY
    player = dice.choose(among, "lot")
    story.tell(ev.Lot(among, player))
    return player


def _attended(match: WerewolfMatch, play: Play) -> bool:
    return any(not s.by_bot and s.key in play.living for s in match.seats)


def _n1(story: WerewolfStory, _: Dice) -> None:
    """11: what the guard chose holds for this night."""
    chosen = on(story).chosen
    guarded = [chosen.get(what, (NOBODY,))[0] for what in ("protect", "soundproof")]
    if any(guarded):
        story.tell(ev.Guarded(guarded[0], guarded[1]))
    if not _won(story, "11"):
        _began(story, "n2")


def _n2(story: WerewolfStory, _: Dice) -> None:
    """12: the piper's target is crazed unless soundproofed; he sees his list."""
    play = on(story)
    (target,) = play.chosen.get("pipe", (NOBODY,))
    if target and target != play.soundproof:
        story.tell(ev.Crazed(target))
    piper = play.of("piper")
    if piper.living:
        story.tell(ev.CrazedList(piper.key, on(story).crazed))
    if not _won(story, "12"):
        _began(story, "n345")


def _n345(story: WerewolfStory, _: Dice) -> None:
    """13: the pack's target is dying unless protected."""
    play = on(story)
    named = {play.kills[k] for k in play.pack if play.kills.get(k)}
    target = named.pop() if len(named) == 1 else NOBODY  # W15
    if play.pack:
        story.tell(ev.WolfKill(target, play.pack))
    if target:
        _attack(story, target)
    if _won(story, "13"):
        return
    _began(story, "n6")
    witch = on(story).of("witch")
    if witch.living and not on(story).antidote_used and not on(story).skills_lost:
        story.tell(ev.KillTargets(witch.key, (target,) if target else ()))


def _attack(story: WerewolfStory, target: Key) -> None:
    play = on(story)
    player = play.player(target)
    assert player is not None
    protected = play.protect == target
    simul = options_of(story.match).elder_simul
    lives_used = simul == "anyKill" or (simul == "guarded" and protected)  # W8
    if player.role == "elder" and not player.mark and lives_used:
        story.tell(ev.Mark(target))
    story.tell(ev.Immune(target) if protected else ev.Dying(target))


def _n6(story: WerewolfStory, _: Dice) -> None:
    """14: antidote, then poison; 15: who is dying is out or uses up a mark, and all is told."""
    chosen = on(story).chosen
    outs: tuple[Key, ...] = ()
    for target in filter(None, chosen.get("antidote", ())):
        story.tell(ev.Poured("antidote"))
        story.tell(ev.Saved(target))
    for target in filter(None, chosen.get("poison", ())):
        story.tell(ev.Poured("poison"))
        outs = _put_out(story, target, "poison")
    if _won(story, "14"):
        return
    for player in on(story).players:
        if player.status == "dying":
            outs += _resolve(story, player)
    if _won(story, "15"):
        return
    _answer_held(story)
    _announce(story, outs)
    _go_on(story, "day")


def _resolve(story: WerewolfStory, player: Player) -> tuple[Key, ...]:
    """4.4, 4.9: a wolf or the elder survives once."""
    if player.role in ("wolf", "elder") and not player.mark:
        story.tell(ev.Mark(player.key))
        return ()
    return _put_out(story, player.key, "kill")


def _answer_held(story: WerewolfStory) -> None:
    """4.1: a seer who is a lover has his answer only now, also if he went out (W18)."""
    play = on(story)
    if play.held:
        story.tell(checked(story.match, play.of("seer").key, play.check))


def checked(match: WerewolfMatch, seer: Key, target: Key) -> ev.SeerResult:
    """W13: what the seer is told of a player."""
    player = match.play.player(target) if match.play else None
    assert player is not None
    if options_of(match).seer_reads == "camp":
        return ev.SeerResult(seer, target, player.camp == "villagers")
    return ev.SeerResult(seer, target, player.role == "villager")


def _succession(story: WerewolfStory, dice: Dice) -> None:
    """W17: the new sheriff, named or drawn, before anything else goes on."""
    play = on(story)
    (heir,) = play.chosen.get("successor", (NOBODY,))
    if not heir:
        story.tell(ev.Defaulted("successor"))
        heir = dice.choose(play.living, "successor")
    story.tell(ev.SheriffMade(heir))
    _began(story, play.then)


_CLOSE: dict[Phase, Callable[[WerewolfStory, Dice], None]] = {
    "night0": _night0,
    "day": _day,
    "n1": _n1,
    "n2": _n2,
    "n345": _n345,
    "n6": _n6,
    "succession": _succession,
}


# ---- out ------------------------------------------------------------------------------------


def _put_out(story: WerewolfStory, key: Key, cause: w.Cause) -> tuple[Key, ...]:
    """5.1: out, and the lover after him; who that is."""
    outs = [key]
    story.tell(ev.Out(key, cause))
    if _won_at_once(story):
        return tuple(outs)
    lovers = on(story).lovers
    if key in lovers:
        other = lovers[1 - lovers.index(key)]
        if other in on(story).living:
            story.tell(ev.Out(other, "lover"))
            outs.append(other)
            _won_at_once(story)
    return tuple(outs)


def _announce(story: WerewolfStory, outs: tuple[Key, ...]) -> None:
    """6: in seat order, without a cause; who may speak once more is asked."""
    play = on(story)
    ordered = tuple(p.key for p in play.players if p.key in outs)
    story.tell(ev.OutAnnounced(ordered))
    for role, told in (("elder", ev.ElderOut), ("piper", ev.PiperOut)):
        key = next(p.key for p in play.players if p.role == role)
        if key in outs:
            story.tell(told(key))
    for key in ordered:
        if key in play.out_order[:WORDS_LEFT]:
            story.tell(ev.LastWordsPrompt(key))


def _go_on(story: WerewolfStory, then: Phase) -> None:
    """What follows a step with outs: the succession, if the sheriff is among them."""
    play = on(story)
    if play.sheriff and play.sheriff not in play.living:
        _began(story, "succession")
        story.tell(ev.SuccessorPrompt(play.sheriff))
    else:
        _began(story, then)


def _began(story: WerewolfStory, phase: Phase) -> None:
    day = on(story).day
    story.tell(ev.PhaseBegan(phase, day + 1 if phase == "day" else day))


# ---- 7: who has won -------------------------------------------------------------------------


def winner(play: Play, options: WerewolfOptions) -> Camp | None:
    """The camp whose own people are gone, by the order of section 7, or None."""

    def gone(players: tuple[Player, ...], or_crazed: bool = False) -> bool:
        some = bool(players) or options.empty_camp_wins
        return some and all(not p.living or (or_crazed and p.crazed) for p in players)

    piper = play.of("piper")
    ours = piper.camp == "piper" or options.empty_camp_wins  # W4
    if not piper.living and play.ever_crazed >= 2 and ours:
        return "piper"
    lovers = play.members("lovers")
    if lovers and gone(lovers):  # W3: both lovers and Cupid, if they formed a camp
        return "lovers"
    if gone(play.members("wolves"), or_crazed=True):
        return "wolves"
    village = play.members("villagers")
    special = tuple(p for p in village if p.role in SPECIAL)
    plain = tuple(p for p in village if p.role == "villager")
    return "villagers" if gone(special) or gone(plain, or_crazed=True) else None


def _won_at_once(story: WerewolfStory) -> bool:
    """W2: where the table checks after each who goes out, not only after each step."""
    return options_of(story.match).check == "atomic" and _won(story, "atomic")


def _won(story: WerewolfStory, step: str) -> bool:
    """7, W2: whether the match ends with this step; then everything is shown and scored."""
    match, play = story.match, on(story)
    if match.stage == "over":
        return True
    camp = winner(play, options_of(match))
    if camp is None:
        return False
    shown = tuple(ev.Revealed(p.key, p.role, p.camp, not p.living, p.crazed) for p in play.players)
    members = tuple(p.key for p in play.members(camp))
    story.tell(ev.Victory(camp, step, members, shown))
    for seat in match.seats if match.ranked else ():
        player = play.player(seat.key)
        if player is None or seat.bot or player.left == "kicked":
            continue
        won = player.camp == camp and not (player.left and seat.auto)
        story.tell(Scored(seat.key, seat.name, won, f"{player.role}/{player.camp}"))
    return True
