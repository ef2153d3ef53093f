// A match that is over, shown once more: step by step, or played.

import { Board } from "./board.js";
import { say } from "./words.js";

const CHUNK = 50;
const MOST_CHUNKS = 12;
// As it happened, but nobody has to wait long for what took long.
const SHORTEST_MS = 250;
const LONGEST_MS = 2500;
// Browsers refuse a page that writes its address too often.
const ADDRESS_MS = 300;

const root = document.getElementById("replay");
const find = (id) => document.getElementById(id);
const steps = Number(root.dataset.steps);
const rows = find("log").children;
const board = new Board(find("board"), () => {});
const slider = find("slider");

/** The steps as the service gives them, some at a time; the last few are kept. */
class Steps {
  #chunks = new Map();

  /** {frames, after_ms, lines} of a step; all frames, not only those that changed. */
  async get(step) {
    const chunk = Math.floor((step - 1) / CHUNK);
    const known = this.#chunks.get(chunk) ?? this.#load(chunk);
    this.#chunks.delete(chunk);
    this.#chunks.set(chunk, known); // the one used last is the last to go
    while (this.#chunks.size > MOST_CHUNKS) {
      this.#chunks.delete(this.#chunks.keys().next().value);
    }
    return (await known)[(step - 1) % CHUNK];
  }

  #load(chunk) {
    const loading = this.#fetch(chunk * CHUNK + 1);
    loading.catch(() => this.#chunks.delete(chunk));
    return loading;
  }

  async #fetch(first) {
    const answer = await fetch(`${root.dataset.replay}?step=${first}&limit=${CHUNK}`);
    if (!answer.ok) throw new Error(answer.statusText);
    let frames = {};
    return (await answer.json()).boards.map((step) => {
      frames = step.kind === "whole" ? step.frames : { ...frames, ...step.frames };
      return { ...step, frames };
    });
  }
}

const all = new Steps();
let at = Number(root.dataset.step);
let named = at; // the step that one sees named, which may still be loading
let shown = null;
let wanted = 0;
let timer = 0;
let playing = false;

/** The frames that are not on the board already. */
function changed(frames) {
  if (!shown) return frames;
  const same = (name) =>
    shown[name] === frames[name] || JSON.stringify(shown[name]) === JSON.stringify(frames[name]);
  return Object.fromEntries(Object.entries(frames).filter(([name]) => !same(name)));
}

/** Show a step; of several that are wanted one after the other only the last. */
async function go(to) {
  const mine = ++wanted;
  const target = Math.min(Math.max(to, 1), steps);
  tell(target);
  const late = setTimeout(() => (root.dataset.state = "loading"), 150);
  try {
    const step = await all.get(target);
    if (mine !== wanted) return false;
    board.show(changed(step.frames), shown === null);
    shown = step.frames;
    at = target;
    caption(target);
    find("replay-problem").hidden = true;
    return true;
  } catch {
    if (mine !== wanted) return false;
    pause();
    tell(at);
    find("replay-problem").textContent = say(
      "The replay cannot be loaded now. Press once more to try again.",
    );
    find("replay-problem").hidden = false;
    return false;
  } finally {
    clearTimeout(late);
    if (mine === wanted) delete root.dataset.state;
  }
}

/** Where one is, on all that shows it. */
function tell(step) {
  named = step;
  const after = rows[step - 1].querySelector(".after").textContent;
  slider.value = step;
  slider.setAttribute("aria-valuetext", `${say("Step")} ${step} ${say("of")} ${steps}, ${after}`);
  find("at").textContent = step;
  find("after").textContent = after;
  way("first", 1, step);
  way("back", Math.max(step - 1, 1), step);
  way("on", Math.min(step + 1, steps), step);
  way("last", steps, step);
}

function way(id, to, step) {
  const link = find(id);
  link.href = `?step=${to}#replay`;
  if (to === step) link.setAttribute("aria-disabled", "true");
  else link.removeAttribute("aria-disabled");
}

/** What was said at a step, and its line in the log. */
function caption(step) {
  const told = rows[step - 1].querySelectorAll(".told p:not(.lie)");
  find("caption").replaceChildren(...[...told].map((line) => line.cloneNode(true)));
  for (const row of find("log").querySelectorAll("[aria-current]")) {
    row.removeAttribute("aria-current");
  }
  rows[step - 1].setAttribute("aria-current", "step");
}

async function jump(to) {
  pause();
  if (await go(to)) remember();
}

let remembering = 0;
/** The address leads to this step. */
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(() => history.replaceState(null, "", `?step=${at}`), ADDRESS_MS);
}

// ---- playing --------------------------------------------------------------------------------

async function play() {
  if (playing) return;
  playing = true;
  root.dataset.playing = "";
  label(say("Pause"));
  find("caption").setAttribute("aria-live", "off");
  if (at === steps && !(await go(1))) return;
  next();
}

/** After a pause as long as what happened took, the next step, as long as it goes. */
async function next() {
  if (!playing) return;
  if (at >= steps) {
    pause();
    return;
  }
  let pauseMs = 0;
  try {
    const [now, then] = [await all.get(at), await all.get(at + 1)];
    const quiet = !then.lines.length && !Object.keys(changed(then.frames)).length;
    const tookMs = Math.min(Math.max(then.after_ms - now.after_ms, SHORTEST_MS), LONGEST_MS);
    pauseMs = quiet ? 0 : tookMs / Number(find("speed").value);
    if (at + CHUNK / 2 <= steps) all.get(at + CHUNK / 2).catch(() => {});
  } catch {
    // The step itself says so.
  }
  if (!playing) return;
  clearTimeout(timer);
  timer = setTimeout(async () => {
    if (playing && (await go(at + 1))) next();
  }, pauseMs);
}

function pause() {
  if (!playing) return;
  playing = false;
  clearTimeout(timer);
  delete root.dataset.playing;
  label(say("Play"));
  find("caption").setAttribute("aria-live", "polite");
  remember();
}

function label(text) {
  find("play").setAttribute("aria-label", text);
  find("play").title = text;
}

const toggle = () => (playing ? pause() : play());

// ---- what people do -------------------------------------------------------------------------

for (const id of ["slider", "play", "speed-label"]) find(id).hidden = false;
find("play").addEventListener("click", toggle);
slider.addEventListener("input", () => jump(Number(slider.value)));
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="?step="]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  jump(Number(new URLSearchParams(link.getAttribute("href").split("#")[0]).get("step")));
  if (!root.contains(link)) root.scrollIntoView();
});
root.addEventListener("keydown", (event) => {
  if (event.target.matches("select, input") || event.ctrlKey || event.metaKey || event.altKey) return;
  const onButton = event.target.matches("button, a");
  if (event.key === "k" || (event.key === " " && !onButton)) toggle();
  else if (event.key === "ArrowLeft") jump(named - 1);
  else if (event.key === "ArrowRight") jump(named + 1);
  else if (event.key === "Home") jump(1);
  else if (event.key === "End") jump(steps);
  else return;
  event.preventDefault();
});
