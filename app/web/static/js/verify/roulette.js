// Russian roulette, told again from the commands and the draws, as in app/verify/roulette.py.

import { COMMON_OPTIONS } from "./lobby.js";
import { NOBODY, SERVER, words, wrong } from "./words.js";

// Eliminations that get no picture of their own: the battle's is shown already.
const QUIET = ["stealAttacker", "stealDefender"];

export class Roulette {
  decisive = {
    ...COMMON_OPTIONS,
    turn_s: 60,
    chambers: 6,
    thieves: false,
    quick_draw: false,
    loose_trigger: false,
    on_timeout: "pull",
    finals_reset: false,
    bots: "mixed",
  };
  presets = {
    six_shooter: {},
    thieves_den: { thieves: true },
    wild_west: { thieves: true, quick_draw: true, loose_trigger: true },
  };
  mostSeats = 30;
  fields = { pull: [], pass: [], steal: ["target"], quick_draw: ["target"] };

  constructor(table) {
    this.table = table;
    this.phase = "main";
    this.players = [];
    this.turn = NOBODY;
    this.winner = NOBODY;
    this.finalsNext = NOBODY;
    this.chamber = 0;
    this.round = 0;
    this.acts = 0;
    this.pool = [];
    this.mustPull = false;
    this.mustSteal = false;
    this.news = false;
    this.then = false;
    this.newsNo = 0;
  }

  start() {
    const players = this.table.seats.map((s) => s.key);
    this.players = players.map((key) => ({ key, alive: true, hasPass: true, drew: false }));
    this.chamber = this.#option("chambers");
    this.#tell("game_started", { players, chambers: this.chamber });
    this.#nextTurn();
  }

  waitsFor() {
    return this.phase === "over" ? NOBODY : this.turn;
  }

  pause() {
    if (this.phase === "over") return ["victory", this.table.phase];
    return this.news ? ["shown", this.newsNo] : null;
  }

  #option(name) {
    return this.table.options[name];
  }

  #tell(kind, said) {
    this.table.tell(`roulette.${kind}`, said);
  }

  #player(key) {
    const found = this.players.find((p) => p.key === key);
    return found ?? wrong("{name} does not play.", { name: this.table.name(key) });
  }

  #alive() {
    return this.players.filter((p) => p.alive).map((p) => p.key);
  }

  #holders() {
    const holds = (p) => p.alive && p.hasPass && p.key !== this.turn;
    return this.players.filter(holds).map((p) => p.key);
  }

  #others() {
    return this.#alive().filter((key) => key !== this.turn);
  }

  #show(news = true) {
    this.news = news;
    this.then = false;
    this.newsNo++;
  }

  // ---- what is legal ------------------------------------------------------------------------

  #targets(kind) {
    const player = this.#player(this.turn);
    if (this.mustPull) return [];
    if (kind === "steal") {
      const barred = this.phase === "finals" || player.hasPass;
      return barred && !this.#option("thieves") ? [] : this.#holders();
    }
    const barred = this.mustSteal || this.chamber < 2 || player.drew;
    const few = this.phase !== "main" || this.#alive().length < 3;
    return barred || few || !this.#option("quick_draw") ? [] : this.#others();
  }

  #legal() {
    const out = this.mustSteal ? [] : ["pull"];
    if (!this.mustPull && !this.mustSteal && this.#player(this.turn).hasPass) out.push("pass");
    return [...out, ...["steal", "quick_draw"].filter((kind) => this.#targets(kind).length)];
  }

  // ---- commands -----------------------------------------------------------------------------

  command(key, command) {
    const { type: kind, target } = command;
    const name = this.table.name(key);
    if (this.turn !== key) wrong("It is not the turn of {name}.", { name });
    if (!this.#legal().includes(kind)) wrong("{name} may not “{kind}” now.", { name, kind: words(kind) });
    const aimed = kind === "steal" || kind === "quick_draw";
    if (aimed && !this.#targets(kind).includes(target)) {
      wrong("{name} is no possible target.", { name: this.table.name(target) });
    }
    if (kind === "quick_draw") {
      this.#tell("quick_drawn", { player: key, target });
      this.#player(key).drew = true;
      this.#fire(target, "quickDraw");
      this.#tell("must_pull", { player: key, chamber: this.chamber });
      this.mustPull = true;
      this.table.nextPhase();
      return;
    }
    if (kind === "pull") this.#fire(key, "pull");
    else if (kind === "pass") this.#pass(false);
    else this.#steal(key, target);
    this.#nextTurn();
  }

  #pass(forced) {
    this.#tell("passed", { player: this.turn, forced });
    this.#player(this.turn).hasPass = false;
    this.acts++;
    this.#show();
  }

  #fire(at, cause) {
    const of = this.chamber;
    const roll = of > 1 ? this.table.draw(of, "gun") + 1 : 1;
    this.#tell("rolled", { player: this.turn, roll, of, at });
    this.acts++;
    if (roll === of) {
      this.#eliminate(at, cause);
      this.#load("reset");
      return;
    }
    this.#tell("safe", { player: at });
    this.#show();
    this.#load("decrease");
    if (roll === 1 && this.#option("loose_trigger")) {
      const shot = { player: this.turn, target: this.table.choose(this.#others(), "target") };
      this.#tell("loose_trigger", shot);
      if (this.#battle("looseTrigger", this.turn, shot.target)) {
        this.#eliminate(shot.target, "looseTrigger");
      } else this.#tell("missed", shot);
    }
  }

  #load(reason) {
    const from = this.chamber;
    this.chamber = reason === "decrease" ? from - 1 : this.#option("chambers");
    this.#tell("chamber", { from, to: this.chamber, reason });
  }

  #steal(attacker, defender) {
    this.#tell("steal_tried", { attacker, defender });
    this.acts++;
    if (this.#battle("steal", attacker, defender)) {
      this.#tell("pass_stolen", { from: defender, by: attacker });
      this.#player(defender).hasPass = false;
      this.#show();
      this.#eliminate(defender, "stealDefender");
    } else this.#eliminate(attacker, "stealAttacker");
  }

  /** Both roll 100 until one is higher; whether that is the attacker. */
  #battle(kind, attacker, defender) {
    let mine = 0;
    let his = 0;
    while (mine === his) {
      mine = this.table.draw(100, "battle") + 1;
      his = this.table.draw(100, "battle") + 1;
      const result = mine === his ? "tie" : mine > his ? "attacker" : "defender";
      const rolls = { attacker_roll: mine, defender_roll: his };
      this.#tell("battle", { kind, attacker, defender, ...rolls, result });
      this.#show();
    }
    return mine > his;
  }

  #eliminate(key, cause, counts = true) {
    this.#tell("eliminated", { player: key, cause });
    Object.assign(this.#player(key), { alive: false, hasPass: false });
    this.pool = this.pool.filter((k) => k !== key);
    if (!QUIET.includes(cause)) this.#show();
    this.table.handBack(key);
    if (counts) this.table.score(key, false);
  }

  // ---- turns --------------------------------------------------------------------------------

  /** Whose turn it is now, over all turns in which there is nothing to choose. */
  #nextTurn() {
    while (!this.#finished()) {
      this.#beginFinals();
      let key;
      if (this.phase === "finals") {
        key = this.finalsNext || this.table.choose(this.#alive(), "pick");
      } else {
        if (!this.pool.length) {
          this.round++;
          this.#tell("round_started", { round: this.round });
          this.pool = this.#alive();
        }
        key = this.table.choose(this.pool, "pick");
      }
      this.#inTurn(key);
      if (!this.#playsItself()) return;
    }
  }

  #finished() {
    const alive = this.#alive();
    if (alive.length > 1) return false;
    [this.winner] = alive;
    this.#tell("game_over", { winner: this.winner });
    Object.assign(this, { phase: "over", turn: NOBODY, mustPull: false, mustSteal: false });
    this.table.stage = "over";
    this.#show();
    this.table.nextPhase();
    if (this.acts) this.table.score(this.winner, true);
    return true;
  }

  #beginFinals() {
    const players = this.#alive();
    if (this.phase !== "main" || players.length !== 2) return;
    this.#tell("finals_started", { players });
    Object.assign(this, { phase: "finals", pool: [], finalsNext: NOBODY });
    if (this.news) this.then = true;
    else this.#show();
    if (this.#option("finals_reset")) this.#load("reset");
  }

  #inTurn(key) {
    this.#tell("picked", { player: key, chamber: this.chamber });
    Object.assign(this, { turn: key, mustPull: false, mustSteal: false });
    this.pool = this.pool.filter((k) => k !== key);
    if (this.phase === "finals") [this.finalsNext] = this.#others();
    this.table.nextPhase();
  }

  /** At chamber 1 the turn is played by the rules, but for the target of a forced steal. */
  #playsItself() {
    if (this.chamber > 1) return false;
    if (this.#player(this.turn).hasPass) {
      this.#pass(true);
      return true;
    }
    const holders = this.#targets("steal");
    if (holders.length) {
      this.#tell("forced_steal", { player: this.turn, targets: holders });
      this.mustSteal = true;
      return false;
    }
    this.#dieAtOne();
    return true;
  }

  #dieAtOne() {
    this.#eliminate(this.turn, "chamberOne");
    this.#load("reset");
  }

  /** A player leaves, is kicked or stays silent; false if he is out already. */
  remove(key, cause) {
    if (!this.#player(key).alive || this.table.stage !== "playing") return false;
    this.#eliminate(key, cause === "silent" ? "timeout" : "left", cause !== "kicked");
    if (key === this.turn || this.#alive().length === 1) this.#nextTurn();
    else if (this.mustSteal && !this.#holders().length) {
      this.#dieAtOne();
      this.#nextTurn();
    }
    return true;
  }

  // ---- silence, bots and the clock ----------------------------------------------------------

  silent(key) {
    if (this.#option("on_timeout") === "eliminate") this.remove(key, "silent");
    else if (this.mustSteal) {
      const target = this.table.choose(this.#holders(), "target");
      this.command(key, { type: "steal", target });
    } else this.command(key, { type: "pull" });
  }

  /** What a bot does, by its character. */
  actFor(key) {
    const how = {
      careful: () => this.#careful(),
      bold: () => this.#bold(),
      random: () => this.table.choose(this.#legal(), "kind"),
    };
    const kind = how[this.#character(key)]();
    const aimed = kind === "steal" || kind === "quick_draw";
    const targets = aimed ? this.#targets(kind) : [];
    return targets.length
      ? { type: kind, target: this.table.choose(targets, "target") }
      : { type: kind };
  }

  #character(key) {
    const bots = this.#option("bots");
    if (bots !== "mixed") return bots;
    const number = /^bot:(\d+)$/.exec(key)?.[1];
    return number ? ["careful", "bold", "random"][(number - 1) % 3] : "careful";
  }

  #careful() {
    const legal = this.#legal();
    const { hasPass } = this.#player(this.turn);
    if (!legal.includes("pull")) return "steal";
    if (legal.includes("pass") && this.chamber <= 3) return "pass";
    if (legal.includes("steal") && !hasPass && this.chamber === 2) return "steal";
    return legal.includes("quick_draw") && hasPass && this.chamber >= 5 ? "quick_draw" : "pull";
  }

  #bold() {
    const legal = this.#legal();
    const first = ["quick_draw", "steal"].find((kind) => legal.includes(kind));
    return first ?? (legal.includes("pass") && this.chamber === 2 ? "pass" : "pull");
  }

  elapse(name) {
    if (name === "victory") this.table.close("victory", SERVER);
    else {
      this.#tell("shown");
      this.#show(this.then);
    }
  }
}
