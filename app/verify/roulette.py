"""Russian roulette, told again from the commands and the draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from app.verify.lobby import COMMON_OPTIONS, Table
from app.verify.words import NOBODY, SERVER, Said, wrong

QUIET = ("stealAttacker", "stealDefender")
"""Eliminations that get no picture of their own: the battle's is shown already."""


@dataclass
class Player:
    key: str
    alive: bool = True
    has_pass: bool = True
    drew: bool = False


class Roulette:
    """The running match.  `news_no` counts the pictures, which a deadline clears by number."""

    decisive: ClassVar[Mapping[str, Any]] = {
        **COMMON_OPTIONS,
        "turn_s": 60,
        "chambers": 6,
        "thieves": False,
        "quick_draw": False,
        "loose_trigger": False,
        "on_timeout": "pull",
        "finals_reset": False,
        "bots": "mixed",
    }
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "six_shooter": {},
        "thieves_den": {"thieves": True},
        "wild_west": {"thieves": True, "quick_draw": True, "loose_trigger": True},
    }
    most_seats: ClassVar[int] = 30
    fields: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "pull": (),
        "pass": (),
        "steal": ("target",),
        "quick_draw": ("target",),
    }

    def __init__(self, table: Table) -> None:
        self.table = table
        self.phase = "main"
        self.players: list[Player] = []
        self.turn = self.winner = self.finals_next = NOBODY
        self.chamber = self.round = self.acts = 0
        self.pool: list[str] = []
        self.must_pull = self.must_steal = False
        self.news = self.then = False
        self.news_no = 0

    def start(self) -> None:
        self.players = [Player(s.key) for s in self.table.seats]
        self.chamber = self._option("chambers")
        keys = [p.key for p in self.players]
        self._tell("game_started", players=keys, chambers=self.chamber)
        self._next_turn()

    def waits_for(self) -> str:
        return self.turn if self.phase != "over" else NOBODY

    def pause(self) -> tuple[str, int] | None:
        if self.phase == "over":
            return "victory", self.table.phase
        return ("shown", self.news_no) if self.news else None

    def _option(self, name: str) -> Any:
        return self.table.options[name]

    def _tell(self, kind: str, /, **said: Any) -> None:
        self.table.tell(f"roulette.{kind}", **said)

    def _player(self, key: str) -> Player:
        found = next((p for p in self.players if p.key == key), None)
        return found or wrong(f"{self.table.name(key)} does not play.")

    def _alive(self) -> list[str]:
        return [p.key for p in self.players if p.alive]

    def _holders(self) -> list[str]:
        return [p.key for p in self.players if p.alive and p.has_pass and p.key != self.turn]

    def _others(self) -> list[str]:
        return [key for key in self._alive() if key != self.turn]

    def _show(self, news: bool = True) -> None:
        self.news, self.then = news, False
        self.news_no += 1

    # ---- what is legal ----------------------------------------------------------------------

    def _targets(self, kind: str) -> list[str]:
        player, thieves = self._player(self.turn), self._option("thieves")
        if self.must_pull:
            return []
        if kind == "steal":
            barred = (self.phase == "finals" or player.has_pass) and not thieves
            return [] if barred else self._holders()
        barred = self.must_steal or self.chamber < 2 or player.drew
        few = self.phase != "main" or len(self._alive()) < 3
        return [] if barred or few or not self._option("quick_draw") else self._others()

    def _legal(self) -> list[str]:
        out = [] if self.must_steal else ["pull"]
        if not self.must_pull and not self.must_steal and self._player(self.turn).has_pass:
            out.append("pass")
        return out + [kind for kind in ("steal", "quick_draw") if self._targets(kind)]

    # ---- commands ---------------------------------------------------------------------------

    def command(self, key: str, command: Said) -> None:
        kind, name = command["type"], self.table.name(key)
        if self.turn != key:
            wrong(f"It is not the turn of {name}.")
        if kind not in self._legal():
            wrong(f"{name} may not “{kind.replace('_', ' ')}” now.")
        if kind in ("steal", "quick_draw") and command["target"] not in self._targets(kind):
            wrong(f"{self.table.name(command['target'])} is no possible target.")
        if kind == "quick_draw":
            self._tell("quick_drawn", player=key, target=command["target"])
            self._player(key).drew = True
            self._fire(command["target"], "quickDraw")
            self._tell("must_pull", player=key, chamber=self.chamber)
            self.must_pull = True
            self.table.next_phase()
            return
        if kind == "pull":
            self._fire(key, "pull")
        elif kind == "pass":
            self._pass(forced=False)
        else:
            self._steal(key, command["target"])
        self._next_turn()

    def _pass(self, forced: bool) -> None:
        self._tell("passed", player=self.turn, forced=forced)
        self._player(self.turn).has_pass = False
        self.acts += 1
        self._show()

    def _fire(self, at: str, cause: str) -> None:
        of = self.chamber
        roll = self.table.draw(of, "gun") + 1 if of > 1 else 1
        self._tell("rolled", player=self.turn, roll=roll, of=of, at=at)
        self.acts += 1
        if roll == of:
            self._eliminate(at, cause)
            self._load("reset")
            return
        self._tell("safe", player=at)
        self._show()
        self._load("decrease")
        if roll == 1 and self._option("loose_trigger"):
            target = self.table.choose(self._others(), "target")
            self._tell("loose_trigger", player=self.turn, target=target)
            if self._battle("looseTrigger", self.turn, target):
                self._eliminate(target, "looseTrigger")
            else:
                self._tell("missed", player=self.turn, target=target)

    def _load(self, reason: str) -> None:
        before = self.chamber
        self.chamber = before - 1 if reason == "decrease" else self._option("chambers")
        self._tell("chamber", **{"from": before}, to=self.chamber, reason=reason)

    def _steal(self, attacker: str, defender: str) -> None:
        self._tell("steal_tried", attacker=attacker, defender=defender)
        self.acts += 1
        if self._battle("steal", attacker, defender):
            self._tell("pass_stolen", **{"from": defender}, by=attacker)
            self._player(defender).has_pass = False
            self._show()
            self._eliminate(defender, "stealDefender")
        else:
            self._eliminate(attacker, "stealAttacker")

    def _battle(self, kind: str, attacker: str, defender: str) -> bool:
        """Both roll 100 until one is higher; whether that is the attacker."""
        mine = his = 0
        while mine == his:
            mine, his = (self.table.draw(100, "battle") + 1 for _ in range(2))
            result = "tie" if mine == his else "attacker" if mine > his else "defender"
            self._tell(
                "battle",
                kind=kind,
                attacker=attacker,
                defender=defender,
                attacker_roll=mine,
                defender_roll=his,
                result=result,
            )
            self._show()
        return mine > his

    def _eliminate(self, key: str, cause: str, *, counts: bool = True) -> None:
        self._tell("eliminated", player=key, cause=cause)
        player = self._player(key)
        player.alive = player.has_pass = False
        self.pool = [k for k in self.pool if k != key]
        if cause not in QUIET:
            self._show()
        self.table.hand_back(key)
        if counts:
            self.table.score(key, won=False)

    # ---- turns ------------------------------------------------------------------------------

    def _next_turn(self) -> None:
        """Whose turn it is now, over all turns in which there is nothing to choose."""
        while not self._finished():
            self._begin_finals()
            if self.phase == "finals":
                key = self.finals_next or self.table.choose(self._alive(), "pick")
            else:
                if not self.pool:
                    self.round += 1
                    self._tell("round_started", round=self.round)
                    self.pool = self._alive()
                key = self.table.choose(self.pool, "pick")
            self._in_turn(key)
            if not self._plays_itself():
                return

    def _finished(self) -> bool:
        alive = self._alive()
        if len(alive) > 1:
            return False
        self.winner = alive[0]
        self._tell("game_over", winner=self.winner)
        self.phase, self.table.stage = "over", "over"
        self.turn, self.must_pull, self.must_steal = NOBODY, False, False
        self._show()
        self.table.next_phase()
        if self.acts:
            self.table.score(self.winner, won=True)
        return True

    def _begin_finals(self) -> None:
        if self.phase != "main" or len(self._alive()) != 2:
            return
        self._tell("finals_started", players=self._alive())
        self.phase, self.pool, self.finals_next = "finals", [], NOBODY
        if self.news:
            self.then = True
        else:
            self._show()
        if self._option("finals_reset"):
            self._load("reset")

    def _in_turn(self, key: str) -> None:
        self._tell("picked", player=key, chamber=self.chamber)
        self.turn, self.must_pull, self.must_steal = key, False, False
        self.pool = [k for k in self.pool if k != key]
        if self.phase == "finals":
            self.finals_next = self._others()[0]
        self.table.next_phase()

    def _plays_itself(self) -> bool:
        """At chamber 1 the turn is played by the rules, but for the target of a forced steal."""
        if self.chamber > 1:
            return False
        if self._player(self.turn).has_pass:
            self._pass(forced=True)
            return True
        holders = self._targets("steal")
        if holders:
            self._tell("forced_steal", player=self.turn, targets=holders)
            self.must_steal = True
            return False
        self._die_at_one()
        return True

    def _die_at_one(self) -> None:
        self._eliminate(self.turn, "chamberOne")
        self._load("reset")

    def remove(self, key: str, cause: str) -> bool:
        """A player leaves, is kicked or stays silent; False if he is out already."""
        if not self._player(key).alive or self.table.stage != "playing":
            return False
        why = "timeout" if cause == "silent" else "left"
        self._eliminate(key, why, counts=cause != "kicked")
        if key == self.turn or len(self._alive()) == 1:
            self._next_turn()
        elif self.must_steal and not self._holders():
            self._die_at_one()
            self._next_turn()
        return True

    # ---- silence, bots and the clock --------------------------------------------------------

    def silent(self, key: str) -> None:
        if self._option("on_timeout") == "eliminate":
            self.remove(key, "silent")
        elif self.must_steal:
            target = self.table.choose(self._holders(), "target")
            self.command(key, {"type": "steal", "target": target})
        else:
            self.command(key, {"type": "pull"})

    def act_for(self, key: str) -> Said:
        """What a bot does, by its character."""
        kind = {"careful": self._careful, "bold": self._bold, "random": self._at_random}[
            self._character(key)
        ]()
        targets = self._targets(kind) if kind in ("steal", "quick_draw") else []
        if targets:
            return {"type": kind, "target": self.table.choose(targets, "target")}
        return {"type": kind}

    def _character(self, key: str) -> str:
        bots = str(self._option("bots"))
        number = key.removeprefix("bot:")
        if bots != "mixed":
            return bots
        kinds = ("careful", "bold", "random")
        return kinds[(int(number) - 1) % 3] if number.isdigit() else "careful"

    def _careful(self) -> str:
        legal, has_pass = self._legal(), self._player(self.turn).has_pass
        if "pull" not in legal:
            return "steal"
        if "pass" in legal and self.chamber <= 3:
            return "pass"
        if "steal" in legal and not has_pass and self.chamber == 2:
            return "steal"
        return "quick_draw" if "quick_draw" in legal and has_pass and self.chamber >= 5 else "pull"

    def _bold(self) -> str:
        legal = self._legal()
        first = next((kind for kind in ("quick_draw", "steal") if kind in legal), "")
        return first or ("pass" if "pass" in legal and self.chamber == 2 else "pull")

    def _at_random(self) -> str:
        return str(self.table.choose(self._legal(), "kind"))

    def elapse(self, name: str) -> None:
        if name == "victory":
            self.table.close("victory", SERVER)
        else:
            self._tell("shown")
            self._show(self.then)
