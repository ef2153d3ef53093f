// Keeps the front page fresh.

import { refresh, tell } from "./fresh.js";

const EVERY_MS = 15_000;
const LONGEST_MS = 120_000;

let failures = 0;
let timer = 0;

async function look() {
  clearTimeout(timer);
  failures = (await refresh()) ? 0 : failures + 1;
  if (document.hidden) return; // goes on when it is looked at again
  clearTimeout(timer);
  timer = setTimeout(look, Math.min(EVERY_MS * 2 ** failures, LONGEST_MS));
}

addEventListener("online", look);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) look();
});
tell("live");
timer = setTimeout(look, EVERY_MS);
