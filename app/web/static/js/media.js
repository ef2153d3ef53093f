// The page for a face of a prim: it only shows, and it has to for days, whatever breaks meanwhile.

import { Api } from "./api.js";
import { Board } from "./board.js";
import { element } from "./dialogs.js";
import { Live } from "./live.js";
import { seatState } from "./players.js";
import { Waiting } from "./waiting.js";
import { each, say } from "./words.js";

const TABLE_PAUSE_MS = 300;
const LOOK_MS = 60_000; // a stream may be dead without a word
const ANOTHER_MS = 90_000; // after so long a break there may be another version of this page
const MOST_HEARTS = 3;
const FEW_PLAYERS = 10;
const STATES = { connecting: "…", reconnecting: "…", offline: "offline", gone: "—" };

const find = (id) => document.getElementById(id);
const { table, api: base } = document.body.dataset;
const api = new Api(base, table, "");
const board = new Board(find("board"), () => {});
const waiting = new Waiting(find("waiting"));

let lost = 0;
const live = new Live(api, { avatars: () => [], onNews, onState, onDenied: again });

function onState(state) {
  find("state").hidden = state === "live";
  find("state").textContent = say(STATES[state] ?? "");
  if (state === "gone") again();
  if (state !== "live") lost ||= performance.now();
  else {
    if (lost && performance.now() - lost > ANOTHER_MS) location.reload();
    lost = 0;
  }
}

function again() {
  setTimeout(() => live.start(), LOOK_MS);
}

function onNews(news, old) {
  board.show(news.frames ?? {}, news.kind === "whole");
  waiting.show(news.waiting);
  if (!old && news.lines?.length) find("said").textContent = news.lines.at(-1);
  if (news.kind !== "up_to_date") readTable();
}

let asked = 0;
function readTable() {
  if (asked) return;
  asked = setTimeout(async () => {
    asked = 0;
    try {
      show(await api.table());
    } catch {
      // The stream tells when the table cannot be reached.
    }
  }, TABLE_PAUSE_MS);
}

function show(view) {
  if (document.documentElement.lang !== view.state.language) location.reload();
  find("name").textContent = view.name;
  const { seats, starter } = view.state;
  const list = find("players");
  list.toggleAttribute("data-many", seats.length > FEW_PLAYERS);
  seats.forEach((seat, i) => player(list.children[i] ?? place(list), seat, view.stage, starter));
  while (list.children.length > seats.length) list.lastElementChild.remove();
}

function place(list) {
  const item = element("li");
  item.append(element("bdi"), element("img"), element("span", "how"));
  list.append(item);
  return item;
}

/** Only what has changed is touched, so that nothing is drawn anew without need. */
function player(item, seat, stage, starter) {
  const how = seatState(seat, stage, starter);
  const kind = seat.winner ? "winner" : seat.out ? "out" : seat.in_peril || seat.in_turn ? "marked" : "";
  const [name, hearts, word] = item.children;
  put(item.dataset, "kind", kind);
  put(name, "textContent", seat.name);
  put(word, "textContent", kind === "out" || kind === "winner" ? "" : each(how));
  const lives = seat.lives ?? null;
  put(hearts, "hidden", lives === null);
  if (lives === null) return;
  put(hearts, "alt", String(lives));
  const address = `/static/art/hearts_${Math.min(lives, MOST_HEARTS)}.svg`;
  if (hearts.getAttribute("src") !== address) hearts.setAttribute("src", address);
}

function put(what, name, value) {
  if (what[name] !== value) what[name] = value;
}

setInterval(async () => {
  try {
    const news = await api.frames(live.seq, []);
    if (news.kind !== "up_to_date" && news.seq !== live.seq) live.start();
  } catch {
    if (!lost) live.start();
  }
}, LOOK_MS);

live.start();
