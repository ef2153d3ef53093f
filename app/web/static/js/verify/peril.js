// Peril Dice, told again from the commands and the draws, as in app/verify/peril.py.

import { COMMON_OPTIONS } from "./lobby.js";
import { NOBODY, SERVER, wrong } from "./words.js";

const SHOWN = ["drawn", "rolled", "outcome", "eliminated", "victory"];
const lives = (player) => player.lives > 0 && !player.out;
const dieFor = (count) => (count <= 2 ? 6 : count <= 4 ? 12 : count <= 6 ? 20 : 30);

export class Peril {
  decisive = { ...COMMON_OPTIONS, lives: 3, succession: "random" };
  presets = { classic: {}, speed_peril: { turn_s: 60 }, high_stakes: { lives: 2 } };
  mostSeats = 10;
  fields = { mark: ["number"], unmark: ["number"], pick: ["numbers"], roll: [] };

  constructor(table) {
    this.table = table;
    this.stage = "";
    this.players = [];
    this.peril = NOBODY;
    this.winner = NOBODY;
    this.round = 0;
    this.sides = 0;
    this.each = 0;
    this.number = 0;
    this.rolls = 0;
    this.queue = [];
    this.news = false;
    this.newsNo = 0;
  }

  start() {
    const full = this.table.options.lives;
    this.players = this.table.seats.map(({ key }) => ({
      key, lives: full, out: false, picks: [], marked: [],
    }));
    this.#inPeril(this.table.choose(this.#living(), "peril"));
  }

  waitsFor() {
    if (this.stage === "picking") return this.queue[0];
    return this.stage === "rolling" ? this.peril : NOBODY;
  }

  pause() {
    if (SHOWN.includes(this.stage)) return [this.stage, this.table.phase];
    return this.news ? ["title", this.newsNo] : null;
  }

  #player(key) {
    return this.players.find((p) => p.key === key);
  }

  #living() {
    return this.players.filter(lives).map((p) => p.key);
  }

  #show(news = true) {
    this.news = news;
    this.newsNo++;
  }

  #clear() {
    for (const player of this.players) Object.assign(player, { picks: [], marked: [] });
  }

  // ---- commands -----------------------------------------------------------------------------

  command(key, command) {
    const player = this.#player(key);
    const name = this.table.name(key);
    if (!player || !lives(player)) wrong("{name} is out.", { name });
    if (command.type === "roll") {
      this.#roll(player);
      return;
    }
    if (this.stage !== "picking" || this.queue[0] !== key) {
      wrong("It is not the turn of {name} to pick.", { name });
    }
    if (command.type === "pick") this.#pick(player, command.numbers);
    else this.#mark(player, command.type === "mark", command.number);
  }

  #mustBeFree(number) {
    if (!(number >= 1 && number <= this.sides)) wrong("{number} is not on a die of {sides}.", { number, sides: this.sides });
    const holder = this.players.find((p) => p.picks.includes(number));
    if (holder) wrong("{number} is taken by {name}.", { number, name: this.table.name(holder.key) });
  }

  #pick(player, numbers) {
    if (numbers.length !== this.each || new Set(numbers).size !== this.each) {
      wrong("{count} different numbers are to be picked.", { count: this.each });
    }
    for (const number of numbers) this.#mustBeFree(number);
    const sorted = [...numbers].sort((a, b) => a - b);
    this.table.tell("numbers_picked", { key: player.key, numbers: sorted });
    Object.assign(player, { picks: sorted, marked: [] });
    this.#dequeue(player.key);
    this.table.nextPhase();
  }

  #mark(player, on, number) {
    if (on) this.#mustBeFree(number);
    const { marked } = player;
    if (marked.includes(number) === on || (on && marked.length >= this.each)) {
      wrong("{number} cannot be marked or unmarked now.", { number });
    }
    this.table.tell(on ? "number_marked" : "number_unmarked", { key: player.key, number });
    player.marked = on ? [...marked, number] : marked.filter((n) => n !== number);
  }

  #roll(player) {
    if (this.stage !== "rolling" || player.key !== this.peril) {
      wrong("{name} cannot roll now.", { name: this.table.name(player.key) });
    }
    this.number = this.table.draw(this.sides, "roll") + 1;
    const { sides, number } = this;
    this.table.tell("dice_rolled", { key: player.key, sides, number });
    this.stage = "rolled";
    this.rolls++;
    this.#show(false);
    this.table.nextPhase();
  }

  #dequeue(key) {
    this.queue = this.queue.filter((k) => k !== key);
    if (this.stage === "picking" && !this.queue.length) this.stage = "rolling";
  }

  // ---- what follows by itself ---------------------------------------------------------------

  actFor() {
    if (this.stage === "rolling") return { type: "roll" };
    const taken = this.players.flatMap((p) => p.picks);
    const all = Array.from({ length: this.sides }, (_, i) => i + 1);
    const free = all.filter((n) => !taken.includes(n));
    const numbers = [];
    while (numbers.length < this.each) {
      numbers.push(...free.splice(this.table.draw(free.length, "pick"), 1));
    }
    return { type: "pick", numbers };
  }

  silent(key) {
    this.command(key, this.actFor());
  }

  elapse(name) {
    if (name === "title") {
      this.table.tell("title_restored");
      this.#show(false);
    } else if (name === "drawn") this.#startRound();
    else if (name === "rolled") this.#resolve();
    else if (name === "outcome") {
      if (!this.#strikeOut()) this.#startRound();
    } else if (name === "victory") this.table.close("victory", SERVER);
    else if (this.#living().length === 1) this.#win();
    else this.#succeed();
  }

  #succeed() {
    const living = this.#living();
    const first = this.table.options.succession === "join_order";
    this.#inPeril(first ? living[0] : this.table.choose(living, "peril"));
  }

  #inPeril(key) {
    this.table.tell("peril_drawn", { key });
    Object.assign(this, { peril: key, stage: "drawn", sides: 0, each: 0, number: 0, queue: [] });
    this.#clear();
    this.#show();
    this.table.nextPhase();
  }

  #startRound() {
    const living = this.#living();
    const peril = this.#player(this.peril);
    this.round++;
    this.sides = dieFor(living.length);
    this.each = 4 - peril.lives;
    this.queue = [peril.key, ...living.filter((k) => k !== peril.key)];
    this.#clear();
    this.stage = "picking";
    this.number = 0;
    const { round, sides, each, queue } = this;
    this.table.tell("round_started", { round, sides, picks_each: each, order: [...queue] });
    this.table.nextPhase();
  }

  #resolve() {
    const { number } = this;
    const holder = this.players.find((p) => p.picks.includes(number))?.key ?? NOBODY;
    const was = this.#player(this.peril);
    if (holder !== NOBODY && holder !== was.key) {
      this.table.tell("plot_twist", { key: holder, was: was.key, number });
      this.peril = holder;
    } else {
      was.lives--;
      const own = holder === was.key;
      this.table.tell("life_lost", { key: was.key, number, own, left: was.lives });
    }
    this.stage = "outcome";
    this.#show();
    this.table.nextPhase();
  }

  /** Put out who has no life left; whether there was somebody. */
  #strikeOut() {
    const struck = this.players.find((p) => p.lives === 0 && !p.out);
    if (!struck) return false;
    this.#putOut(struck, "roll");
    this.table.score(struck.key, false);
    return true;
  }

  #putOut(player, cause) {
    const before = [this.stage, this.queue[0]];
    this.table.tell("player_eliminated", { key: player.key, cause });
    Object.assign(player, { lives: 0, out: true, picks: [], marked: [] });
    this.#dequeue(player.key);
    if (this.peril === player.key) this.peril = NOBODY;
    this.table.handBack(player.key);
    if (cause === "roll") {
      this.stage = "eliminated";
      this.#show();
    } else if (this.stage === "picking" || this.stage === "rolling") this.#show();
    if (cause === "roll" || before[0] !== this.stage || before[1] !== this.queue[0]) {
      this.table.nextPhase();
    }
  }

  #win() {
    [this.winner] = this.#living();
    this.table.tell("match_won", { key: this.winner });
    Object.assign(this, { stage: "victory", queue: [], number: 0 });
    this.table.stage = "over";
    this.#show();
    this.table.nextPhase();
    if (this.rolls) this.table.score(this.winner, true);
  }

  /** A player leaves, is kicked or stays silent; false if he is out already. */
  remove(key, cause) {
    const player = this.#player(key);
    if (!player || player.out || this.stage === "victory") return false;
    const struck = this.#strikeOut();
    if (this.#living().length === 1) {
      this.#win();
      return true;
    }
    if (!lives(player)) return struck;
    const wasPeril = this.peril === key;
    this.#putOut(player, cause);
    if (cause !== "kicked") this.table.score(key, false);
    if (this.#living().length === 1) this.#win();
    else if (wasPeril) {
      if (["picking", "rolling", "rolled"].includes(this.stage)) {
        this.table.tell("round_voided", { round: this.round });
      }
      this.#succeed();
    }
    return true;
  }
}
