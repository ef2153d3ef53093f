// The page of a table: news in, touches and presses out.

import { Api, Refused, uuid } from "./api.js";
import { People } from "./avatars.js";
import { Board } from "./board.js";
import { element } from "./dialogs.js";
import { Live } from "./live.js";
import { odds, showPlayers } from "./players.js";
import { takeToken } from "./store.js";
import { Waiting } from "./waiting.js";
import { say } from "./words.js";

const MOST_CHAT = 200;
const TABLE_PAUSE_MS = 150;
const STATES = {
  connecting: "connecting…",
  live: "live",
  reconnecting: "reconnecting…",
  offline: "offline",
  gone: "table gone",
};

const main = document.querySelector("main.table");
const find = (id) => document.getElementById(id);
const table = main.dataset.table;
const api = new Api(main.dataset.api, table, takeToken(table));

const board = new Board(find("board"), (where) => people?.touch(where));
const waiting = new Waiting(find("waiting"));
let people = null;

const live = new Live(api, {
  avatars: () => people?.keys ?? [],
  onState,
  onNews,
  onDenied: watchOnly,
});

function onState(state) {
  find("state").dataset.state = state;
  find("state").textContent = say(STATES[state]);
}

function onNews(news, old) {
  if (Object.keys(news.frames ?? {}).length || news.kind === "whole") {
    board.show(news.frames, news.kind === "whole");
  }
  waiting.show(news.waiting);
  if (!old) chat(news.lines ?? []);
  people?.take(news.seats, old);
  if (news.kind !== "up_to_date") readTable();
}

// The chat stays at its end, unless somebody reads further up.
const log = find("chat");
let pinned = true;
let size = "";
function toEnd() {
  size = `${log.scrollHeight} ${log.clientHeight}`;
  if (pinned) log.scrollTop = log.scrollHeight;
}
log.addEventListener("scroll", () => {
  // A scroll that comes with another size is the layout's doing, nobody's wish.
  if (size !== `${log.scrollHeight} ${log.clientHeight}`) toEnd();
  else pinned = log.scrollHeight - log.scrollTop - log.clientHeight < 30;
});
new ResizeObserver(toEnd).observe(log);

function chat(lines) {
  for (const line of lines) log.append(element("li", "", line));
  while (log.children.length > MOST_CHAT) log.firstElementChild.remove();
  toEnd();
}

// What no frame says: names, lives, options.  Asked for at most once in a while.
let asked = 0;
function readTable() {
  clearTimeout(asked);
  asked = setTimeout(async () => {
    try {
      showTable(await api.table());
    } catch {
      // The stream tells when the table cannot be reached.
    }
  }, TABLE_PAUSE_MS);
}

function showTable(view) {
  showPlayers(find("players"), view.state, view.stage);
  for (const part of [find("board").parentElement, find("options"), log]) {
    part.lang = view.state.language;
  }
  find("options").textContent = view.options_text ?? "";
  const chances = odds(view.state.chances);
  find("chances").textContent = chances;
  find("chances").toggleAttribute("hidden", !chances);
  find("rules-link").setAttribute("href", `/rules/${view.game}`);
  find("rules-of").textContent = say(view.title);
  showLastPlayed(view);
  showFairness(view);
}

// In a lobby a way to the match played last: the server's at first, later the one that was on.
let known = null;
function showLastPlayed(view) {
  const link = find("last-played");
  const open = view.stage === "lobby";
  // Between two looks a short match may have come and gone; with another game it was a lobby.
  const passed = known && known.match !== view.match && known.game === view.game;
  if (!open) link.setAttribute("href", page(view.match));
  else if (passed) link.setAttribute("href", page(`${table}-${numberOf(view.match) - 1}`));
  link.parentElement.hidden = !open || !link.hasAttribute("href");
  known = view;
}

const page = (match) => `/m/${encodeURIComponent(match)}`;
const numberOf = (match) => Number(match.split("-").at(-1));

function showFairness(view) {
  if (!find("commitment")) return; // a page without the matches of the service
  find("commitment").textContent = view.state.commitment || say("none");
  const link = find("match-link");
  link.setAttribute("href", page(view.match));
  link.textContent = say(view.stage === "over" ? "Check this match" : "The log of this match");
  const before = numberOf(view.match) - 1;
  find("match-before").setAttribute("href", page(`${table}-${before}`));
  find("match-before").toggleAttribute("hidden", before < 1);
}

function watchOnly() {
  people = null;
  find("people").hidden = true;
  main.removeAttribute("data-people");
  live.start();
}

/** Whether this browser may act as the avatar with this key. */
async function mayBe(key) {
  try {
    await api.frames(null, [key]);
    return true;
  } catch (error) {
    if (error instanceof Refused && [401, 403].includes(error.status)) return false;
    throw error;
  }
}

/** Local avatars, where this browser may act as some. */
async function seatPeople() {
  const view = await api.table();
  showTable(view);
  // A token of another time is as good as none.
  if (api.token && !(await mayBe(view.owner.key))) api.token = "";
  const owner = (await mayBe(view.owner.key)) ? view.owner : null;
  if (!owner && !(await mayBe(uuid()))) return;
  people = new People({
    section: find("people"),
    table,
    title: view.name,
    owner,
    api,
    onChange: () => live.start(),
    onActive: (avatar) => board.name(avatar.name),
  });
  main.toggleAttribute("data-people", true);
  board.open();
  if (people.active) board.name(people.active.name);
}

async function begin(pause = 500) {
  onState("connecting");
  try {
    await seatPeople();
  } catch (error) {
    if (error instanceof Refused && error.status === 404) {
      onState("gone");
      return;
    }
    onState("offline");
    setTimeout(() => begin(Math.min(pause * 2, 8000)), pause);
    return;
  }
  await live.start();
}

begin();
