// Keeps the page of a table as it is now: it is fetched anew when something happens.

import { refresh, tell } from "./fresh.js";

const page = document.querySelector("main[data-api]");
const PAUSE_MS = 400;
const AGAIN_MS = 3000;
const LOOK_MS = 60_000; // a session ends, and a stream may be dead, without a word

let timer = 0;
let again = 0;
let source = null;
let fine = true;

function soon() {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    fine = await refresh();
  }, PAUSE_MS);
}

/** What has happened since the page was made comes first. */
function listen() {
  source = new EventSource(`${page.dataset.api}/stream?since=${page.dataset.seq}`);
  source.addEventListener("news", soon);
  source.addEventListener("open", () => fine || soon());
  source.addEventListener("error", () => {
    soon(); // which tells whether the server can be reached
    // A browser tries again by itself, but not after an answer such as 502 or 503.
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(again);
    again = setTimeout(listen, AGAIN_MS * (0.75 + Math.random() / 2));
  });
}

tell("live");

// What cannot be as it was typed is shown; a browser neither sends it nor says why while it is hid.
document.addEventListener(
  "invalid",
  (event) => {
    const hiding = event.target.closest("details");
    if (hiding) hiding.open = true;
  },
  true,
);

listen();
setInterval(() => document.hidden || soon(), LOOK_MS);
addEventListener("online", soon);
document.addEventListener("visibilitychange", () => document.hidden || soon());
addEventListener("pagehide", () => {
  clearTimeout(again);
  source.close();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) listen();
});
