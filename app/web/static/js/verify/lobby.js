// The match around the game, told again from the commands, as in app/verify/lobby.py.

import { say } from "../words.js";
import { NOBODY, SERVER, plain, says, words, wrong } from "./words.js";

const PLAYER_COMMANDS = ["join", "leave", "ready", "start", "take_back", "turn_ranking"];
const OWNER_COMMANDS = [
  "add_bot", "remove_bot", "kick", "lock", "unlock", "reset_match", "reset_ranking", "reset_all",
  "set_options", "choose_game", "set_language", "clear_huds", "send_huds", "check_land",
];
// Those that no staff may send in the owner's place.
const OWN = ["reset_ranking", "reset_all"];
const SERVER_COMMANDS = ["freeze", "thaw", "repaint", "time_up"];
export const COMMANDS = [...PLAYER_COMMANDS, ...OWNER_COMMANDS, ...SERVER_COMMANDS];

// Commands that change nothing of the game, and the event of each.
const PLAIN = {
  repaint: "repainted",
  clear_huds: "huds_cleared",
  send_huds: "huds_sent",
  check_land: "land_checked",
};

// What a command says besides its type, where it says something.
const FIELDS = {
  ready: ["ready"],
  turn_ranking: ["page"],
  kick: ["key"],
  set_options: ["preset", "options"],
  choose_game: ["game"],
  set_language: ["language"],
  freeze: ["reason"],
  time_up: ["name", "phase", "epoch"],
};

export const COMMON_OPTIONS = { turn_s: 120, afk: "bot", afk_limit: 2, rank_practice: true };

/** A match as far as the log has told it. */
export class Table {
  constructor(owner, locked) {
    Object.assign(this, { owner, locked });
    this.options = {};
    this.seats = [];
    this.names = new Map();
    this.stage = "lobby";
    this.phase = 0;
    this.epoch = 0;
    this.frozen = false;
    this.closed = false;
    this.reminded = new Set();
    this.told = [];
    this.drawn = [];
    this.game = null;
  }

  play(game, options) {
    this.game = game;
    for (const name of Object.keys(game.decisive)) {
      this.options[name] = this.#typed(name, options[name]);
    }
  }

  #typed(name, value) {
    const kind = (v) => (v === null ? "null" : Array.isArray(v) ? "list" : typeof v);
    if (kind(value) !== kind(this.game.decisive[name])) {
      wrong("The option {name} is not of its type.", { name });
    }
    return value;
  }

  // ---- what games use -----------------------------------------------------------------------

  tell(type, said = {}) {
    this.told.push({ type, ...said });
  }

  /** The next draw of this line, as the log has it. */
  draw(among, why) {
    const drawn = this.drawn.shift();
    if (!drawn) wrong("The line lacks a draw of {among} ({why}).", { among, why: say(why) });
    if (drawn.among !== among || drawn.why !== why) {
      wrong("Draw {number} is of {said} ({saidWhy}), but here one of {among} ({why}) is due.", {
        number: drawn.number, said: drawn.among, saidWhy: say(drawn.why), among, why: say(why),
      });
    }
    return drawn.index;
  }

  choose(options, why) {
    return options[this.draw(options.length, why)];
  }

  nextPhase() {
    this.phase++;
    this.reminded.clear();
  }

  seat(key) {
    return this.seats.find((seat) => seat.key === key);
  }

  name(key) {
    return this.names.get(key) ?? key;
  }

  /** Nobody plays that seat any more. */
  handBack(key) {
    const seat = this.seat(key);
    if (seat) seat.auto = false;
  }

  score(key, won) {
    const seat = this.seat(key);
    const humans = this.seats.filter((s) => !s.bot).length;
    if (seat && !seat.bot && humans >= (this.options.rank_practice ? 1 : 2)) {
      this.tell("scored", { key, name: this.name(key), won, detail: "" });
    }
  }

  // ---- commands -----------------------------------------------------------------------------

  /** The events that `command` must have had; Wrong if it could not be accepted. */
  follow(actor, command, drawn) {
    const kind = command.type;
    this.told = [];
    this.drawn = [...drawn];
    if (this.closed) wrong("Nothing can follow on the close of a match.");
    if (OWN.includes(kind) && actor !== this.owner) {
      wrong("“{kind}” is for the table's owner alone.", { kind: words(kind) });
    }
    if (OWNER_COMMANDS.includes(kind)) this.#forOwner(actor);
    if (SERVER_COMMANDS.includes(kind) !== (actor === SERVER)) {
      wrong("“{kind}” cannot come from {name}.", { kind: words(kind), name: this.name(actor) });
    }
    const own = Object.hasOwn(this.game.fields, kind);
    const fields = own ? this.game.fields[kind] : FIELDS[kind] ?? [];
    if (!(own || COMMANDS.includes(kind)) || !says(command, ["type", ...fields])) {
      wrong("“{kind}” is no command of this game, or says too little or too much.", { kind: words(kind) });
    }
    if (Object.hasOwn(PLAIN, kind)) this.tell(PLAIN[kind]);
    else if (COMMANDS.includes(kind)) this[kind](actor, command);
    else this.#gameCommand(actor, command);
    if (this.drawn.length) {
      wrong("Draw {number} is too much here; nothing needed it.", { number: this.drawn[0].number });
    }
    return this.told;
  }

  /** Only the owner can do this, or staff of his, which the log then says. */
  #forOwner(actor) {
    if (actor !== this.owner && actor !== SERVER) {
      this.tell("acted_for_owner", { key: actor, name: this.name(actor) });
    }
  }

  #inLobby(what) {
    if (this.stage !== "lobby") wrong("“{kind}” is possible in the lobby alone.", { kind: say(what) });
  }

  #taken(key) {
    return this.seat(key) ?? wrong("{name} has no seat.", { name: this.name(key) });
  }

  #gameCommand(actor, command) {
    if (this.stage !== "playing" || this.frozen) wrong("The match is not running.");
    const seat = this.#taken(actor);
    if (seat.auto) this.take_back(actor);
    else if (seat.strikes) {
      seat.strikes = 0;
      this.tell("attended", { key: actor });
    }
    this.game.command(actor, command);
  }

  join(actor) {
    this.#inLobby("join");
    if (this.seat(actor)) wrong("{name} has a seat already.", { name: this.name(actor) });
    if (this.locked) this.#forOwner(actor);
    if (actor.startsWith("bot:") || actor === NOBODY) wrong("Only an avatar can join.");
    this.#sit({ key: actor, bot: false, ready: false });
  }

  #sit(seat) {
    if (this.seats.length >= this.game.mostSeats) wrong("All seats are taken.");
    this.seats.push({ ...seat, auto: false, strikes: 0 });
    this.tell("joined", { key: seat.key, name: "", bot: seat.bot });
  }

  leave(actor) {
    this.#go(this.#taken(actor), "self", "left");
  }

  kick(_, command) {
    if (typeof command.key !== "string") wrong("It does not say who is kicked.");
    this.#go(this.#taken(command.key), "kick", "kicked");
  }

  #go(seat, by, cause) {
    if (this.stage === "lobby") {
      this.seats = this.seats.filter((s) => s !== seat);
      this.tell("left", { key: seat.key, by });
    } else if (this.stage === "over" || !this.game.remove(seat.key, cause)) {
      wrong("{name} is out already.", { name: this.name(seat.key) });
    }
  }

  ready(actor, command) {
    this.#inLobby("ready");
    const seat = this.#taken(actor);
    if (this.locked) this.#forOwner(actor);
    if (seat.ready === command.ready) wrong("That changes nothing.");
    seat.ready = command.ready;
    this.tell("ready_changed", { key: actor, ready: seat.ready });
  }

  start(actor) {
    this.#inLobby("start");
    const starter = this.seats.find((s) => !s.bot)?.key ?? NOBODY;
    if (this.seats.length < 2) wrong("A match needs two players.");
    if (actor !== starter || this.locked) this.#forOwner(actor);
    if (!this.seats.every((s) => s.bot || s.ready || s.key === starter || s.key === actor)) {
      wrong("Not all players are ready.");
    }
    this.tell("match_started", { by: actor });
    this.stage = "playing";
    this.phase++;
    this.game.start();
  }

  take_back(actor) {
    const seat = this.#taken(actor);
    if (!seat.auto) wrong("No bot plays that seat.");
    Object.assign(seat, { auto: false, strikes: 0 });
    this.tell("taken_back", { key: actor });
  }

  turn_ranking(_, command) {
    this.tell("ranking_turned", { page: command.page });
  }

  add_bot() {
    this.#inLobby("add bot");
    let number = 1;
    while (this.seat(`bot:${number}`)) number++;
    this.#sit({ key: `bot:${number}`, bot: true, ready: true });
  }

  remove_bot() {
    this.#inLobby("remove bot");
    this.#go(this.seats.findLast((s) => s.bot) ?? wrong("There is no bot."), "kick", "kicked");
  }

  lock(_, command) {
    const wanted = command.type === "lock";
    if (this.locked === wanted) wrong("That changes nothing.");
    this.locked = wanted;
    this.tell(wanted ? "locked" : "unlocked");
  }

  unlock(actor, command) {
    this.lock(actor, command);
  }

  reset_ranking() {
    this.tell("ranking_reset");
  }

  reset_match(actor) {
    this.close("reset", actor);
  }

  reset_all(actor) {
    this.tell("ranking_reset");
    this.close("reset", actor);
  }

  close(why, by, next = "") {
    this.closed = true;
    this.tell("match_closed", { why, by, next_game: next });
  }

  choose_game(actor, command) {
    if (this.stage === "playing") wrong("Another game cannot be chosen while a match runs.");
    this.close("game", actor, command.game);
  }

  set_language(_, command) {
    this.tell("language_set", { language: command.language });
  }

  set_options(_, command) {
    this.#inLobby("set options");
    const { preset } = command;
    const chosen = { ...this.options };
    if (preset) {
      if (!Object.hasOwn(this.game.presets, preset)) wrong("There is no preset “{preset}”.", { preset });
      Object.assign(chosen, this.game.decisive, this.game.presets[preset]);
    }
    if (!plain(command.options)) throw new TypeError();
    for (const [name, value] of Object.entries(command.options)) {
      if (Object.hasOwn(chosen, name)) chosen[name] = this.#typed(name, value);
    }
    this.options = chosen;
    this.tell("options_set", { options: chosen, preset });
  }

  // ---- the service --------------------------------------------------------------------------

  freeze(_, command) {
    if (this.stage === "lobby" || this.frozen) wrong("There is nothing to freeze.");
    this.frozen = true;
    this.tell("frozen", { reason: command.reason });
  }

  thaw() {
    if (!this.frozen) wrong("The match is not frozen.");
    this.frozen = false;
    this.epoch++;
    this.reminded.clear();
    this.tell("thawed");
  }

  /** Every deadline that runs now: its name, and the moment it belongs to. */
  #deadlines() {
    if (this.frozen || this.stage === "lobby") return [];
    const out = [];
    const key = this.game.waitsFor();
    if (key) {
      const { bot, auto } = this.#taken(key);
      const kinds = bot || auto ? ["bot"] : this.reminded.has(key) ? ["expire"] : ["remind", "expire"];
      for (const kind of kinds) out.push([`${kind}:${key}`, this.phase]);
    }
    const pause = this.game.pause();
    return pause ? [...out, pause] : out;
  }

  time_up(_, command) {
    const { name, phase, epoch } = command;
    const runs = this.#deadlines().some(([n, p]) => n === name && p === phase);
    if (!runs || epoch !== this.epoch) wrong("No such deadline runs at this moment.");
    const [kind] = name.split(":", 1);
    const key = name.slice(kind.length + 1);
    if (kind === "remind") {
      this.reminded.add(key);
      this.tell("reminded", { key, left_s: this.options.turn_s / 2 });
    } else if (kind === "bot") this.game.command(key, this.game.actFor(key));
    else if (kind === "expire") this.#expire(this.#taken(key));
    else this.game.elapse(name);
  }

  #expire(seat) {
    this.tell("timed_out", { key: seat.key });
    seat.strikes++;
    if (seat.strikes >= this.options.afk_limit) {
      if (this.options.afk === "remove") {
        this.game.remove(seat.key, "silent");
        return;
      }
      this.tell("handed_to_bot", { key: seat.key });
      seat.auto = true;
    }
    this.game.silent(seat.key);
  }
}
