// A match checked line by line in the browser, with Web Crypto: the same as app/verify/check.py.

import * as dice from "./verify/dice.js";
import { COMMANDS, Table } from "./verify/lobby.js";
import { Peril } from "./verify/peril.js";
import { Roulette } from "./verify/roulette.js";
import { say } from "./words.js";
import { SERVER, Wrong, compare, plain, says, show, wrong } from "./verify/words.js";

export const { able } = dice;

const GAMES = { peril: Peril, roulette: Roulette };
const FIELDS = ["seq", "at_ms", "actor", "id", "command", "events"];
const OPENING = [
  "type", "game", "owner", "options", "locked", "invited", "commitment", "language",
];
const ILL_WRITTEN = say("The line is not written as lines of a log are.");
const FORGOTTEN = say(
  "Somebody deleted his data, which the draws were made of too: the seed is the one committed " +
    "to, but the draws after his first move cannot be made again.",
);
const DRAWN = ["type", "number", "why", "among", "index"];

/**
 * Check the JSON of `GET /api/v1/matches/{id}`.  `onLine(index)` is told of each line that fits.
 * In the answer `lie`: null, or the line that lies, its place in the log, and how in a sentence.
 */
export async function verify(log, onLine = () => {}) {
  const check = new Check(log);
  const over = (log.match.closed_ms ?? null) !== null || check.shown !== "";
  let lie = null;
  let index = 0;
  let line = 0;
  try {
    for (; over && index < log.entries.length; index++) {
      line = numberOf(log.entries[index], log.match.first_seq + index);
      await check.line(index, log.entries[index]);
      await onLine(index);
    }
    index = log.entries.length - 1;
    if (over) check.end();
  } catch (error) {
    const what = error instanceof Wrong ? error.message : ILL_WRITTEN;
    lie = { line, index, what, ...(error instanceof Wrong ? check.blamed : null) };
  }
  return { over, forgotten: check.forgotten.length > 0, lie, sentences: sentences(log, over, lie, check) };
}

/** The number that a line bears, or if it bears none the one that is due. */
function numberOf(entry, due) {
  return Number.isInteger(entry?.seq) ? entry.seq : due;
}

/** Whether a line is of the types that lines are of. */
function written({ actor, id, command, events }, opens) {
  const texts = [actor, id, ...events.map((event) => event.type)];
  if (!opens) texts.push(command.type);
  return texts.every((text) => typeof text === "string");
}

/** The keys of those who deleted their data since, as the last line says at its end. */
function forgotten(entries) {
  const out = [];
  for (const event of [...(entries.at(-1)?.events ?? [])].reverse()) {
    if (event?.type !== "forgotten" || !says(event, ["type", "key"])) break;
    if (typeof event.key !== "string") break;
    out.push(event.key);
  }
  return out;
}

class Check {
  constructor({ match, entries }) {
    this.match = match;
    this.entries = entries;
    this.table = new Table("", false);
    this.played = Object.hasOwn(GAMES, match.game);
    this.choices = "";
    this.draws = 0;
    this.blamed = null;
    this.shown = "";
    this.shownIndex = 0;
    this.seed = new Uint8Array();
    this.committed = "";
    this.shownYet = false;
    this.winner = "";
    this.forgotten = forgotten(entries);
    this.blind = false;
    this.#findSeed();
  }

  #findSeed() {
    this.entries.forEach((entry, index) => {
      for (const event of Array.isArray(entry?.events) ? entry.events : []) {
        if (!this.shown && plain(event) && event.type === "seed_shown") {
          this.shown = event.seed || "?";
          this.shownIndex = index;
        }
      }
    });
  }

  #blame(index) {
    const due = index ? 0 : this.match.first_seq;
    this.blamed = { index, line: numberOf(this.entries[index], due) };
  }

  async #kept() {
    return (await dice.commitment(this.seed)) === this.committed;
  }

  async line(index, entry) {
    const due = this.match.first_seq + index;
    if (numberOf(entry, 0) !== due) wrong("Line {due} is due here.", { due });
    if (!says(entry, FIELDS)) wrong("The line says more or less than lines of a log do.");
    let events = [...entry.events];
    if (!written(entry, index === 0)) wrong(ILL_WRITTEN);
    if (index === 0) {
      this.#open(entry, events);
      return;
    }
    const { actor, id, command } = entry;
    if (actor === SERVER && id) wrong("What the service does by itself has no key.");
    if (!COMMANDS.includes(command.type)) {
      const said = [actor, ...Object.values(command)];
      this.blind ||= this.forgotten.some((key) => said.includes(key));
      this.choices = await dice.chosen(this.choices, actor, command);
    }
    const drawn = await this.#drawn(events, id);
    events = this.#renamed(actor, events.slice(drawn.length));
    if (index === this.entries.length - 1 && this.forgotten.length) {
      events = events.slice(0, -this.forgotten.length);
    }
    if (this.played) {
      const expected = this.table.follow(actor, command, drawn);
      compare([...expected, ...this.#seedDue()], events, this.table.names);
    }
    this.#named(events);
    if (events.some((event) => event.type === "seed_shown")) await this.#keep();
  }

  /** The first line: what the match begins with. */
  #open(entry, events) {
    const { match } = this;
    const [opened] = events;
    if (entry.actor !== SERVER || entry.command !== null || entry.id !== "") {
      wrong("The service alone opens a match.");
    }
    if (events.length !== 1 || opened.type !== "match_opened") {
      wrong("A log begins with the opening of its match and nothing else.");
    }
    if (!says(opened, OPENING)) wrong("The opening says more or less than openings do.");
    if (opened.game !== match.game) {
      const opening = show(opened.game, new Map());
      wrong("The match is of {game}, but {opened} was opened.", { game: match.game, opened: opening });
    }
    if (match.id !== `${match.table}-${match.number}`) {
      wrong("{id} is not match {number} of table {table}.", match);
    }
    this.committed = opened.commitment;
    if (typeof this.committed !== "string" || this.committed.length !== 64) {
      wrong("The match opened without committing itself to a seed.");
    }
    this.table = new Table(opened.owner, opened.locked);
    if (this.played) this.table.play(new GAMES[match.game](this.table), opened.options);
  }

  /** The draws that the line begins with, each of them checked. */
  async #drawn(events, fresh) {
    const out = [];
    for (const event of events) {
      if (event.type !== "drawn") break;
      out.push(event);
      this.draws++;
      const whole = [event.number, event.among, event.index].every(Number.isInteger);
      if (!says(event, DRAWN) || typeof event.why !== "string" || !whole) {
        wrong("The draw is not written as draws are.");
      }
      if (this.shown && !this.blind) await this.#checkDraw(event, fresh);
    }
    return out;
  }

  /** A seed that neither was committed nor fits the draws is the lie, not the draw. */
  async #checkDraw(event, fresh) {
    try {
      this.seed = dice.seedBytes(this.shown);
      await dice.check(this.seed, this.match.id, this.draws, `${this.choices}\n${fresh}`, event);
    } catch (error) {
      if (await this.#kept()) throw error;
      this.#blame(this.shownIndex);
      wrong("The seed is not the one that the match had committed itself to.");
    }
  }

  /** All draws came from the seed that is shown; if it was not promised, the promise lies. */
  async #keep() {
    this.shownYet = true;
    this.seed = dice.seedBytes(this.shown);
    if (!(await this.#kept())) {
      this.#blame(0);
      wrong("The commitment is not the SHA-256 of the seed from which the draws came.");
    }
  }

  /** The events without a new name for who acts; that alone is nothing to be derived. */
  #renamed(actor, events) {
    const [first] = events;
    const seat = this.table.seat(actor);
    if (first?.type !== "renamed" || (this.played && (!seat || seat.bot))) return events;
    const well = says(first, ["type", "key", "name"]) && typeof first.name === "string";
    if (first.key !== actor || !well) {
      wrong("Only who acts can have another name.");
    }
    this.#named([first]);
    return events.slice(1);
  }

  #named(events) {
    for (const { type, key, name } of events) {
      if (type === "joined" || type === "renamed") this.table.names.set(key, name);
    }
  }

  #seedDue() {
    const over = this.table.stage === "over" || this.table.closed;
    return over && this.draws && !this.shownYet ? [{ type: "seed_shown", seed: this.shown }] : [];
  }

  end() {
    if (this.draws && !this.shownYet) wrong("The seed of the draws is not shown.");
    if (!this.played) return;
    if (this.table.closed !== ((this.match.closed_ms ?? null) !== null)) {
      if (this.table.closed) wrong("The log closes the match, which is said to be open.");
      wrong("The match is closed, but its log ends before.");
    }
    if (!this.forgotten.every((key) => this.table.closed && this.table.seat(key))) {
      wrong("Nobody who played in this match can have been forgotten so.");
    }
    this.winner = this.table.game.winner;
  }
}

/** The report as people read it. */
function sentences({ match, entries }, over, lie, check) {
  const { id, game } = match;
  if (!over) return [say("Match {id} is not over. It can be checked when its seed is shown.", { id })];
  if (lie) return [say("Line {line} lies: {what}", lie)];
  const out = [say("All {count} lines of match {id} fit one another.", { count: entries.length, id })];
  if (check.forgotten.length) out.push(FORGOTTEN);
  else if (check.draws === 1) {
    out.push(say("The seed is the one committed to, and 1 draw came from it."));
  } else if (check.draws) {
    out.push(say("The seed is the one committed to, and {count} draws came from it.", { count: check.draws }));
  } else out.push(say("Nothing was drawn in it."));
  if (!check.played) {
    out.push(say("The rules of {game} are not known here: only the dice were checked.", { game: say(game) }));
  } else if (check.winner) {
    out.push(say("By the rules {name} has won.", { name: check.table.name(check.winner) }));
  } else out.push(say("Nobody has won it."));
  if (check.draws) {
    out.push(say("Before the first draw the table must have shown {seed}.", { seed: check.committed }));
  }
  return out;
}
