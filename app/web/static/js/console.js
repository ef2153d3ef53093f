// Keeps the page of a table as it is now: its live parts are fetched anew when something happens.

const page = document.querySelector("main[data-api]");
const PAUSE_MS = 400;
const AGAIN_MS = 3000;

let timer = 0;
let again = 0;
let source = null;

async function refresh() {
  const response = await fetch(location.pathname, { cache: "no-store" });
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const now = fresh.querySelector(`[data-live="${part.dataset.live}"]`);
    // Nothing moves under somebody who is about to press.
    if (now && !part.contains(document.activeElement)) part.replaceWith(now);
  }
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(() => refresh().catch(() => {}), PAUSE_MS);
}

/** What has happened since the page was made comes first. */
function listen() {
  source = new EventSource(`${page.dataset.api}/stream?since=${page.dataset.seq}`);
  source.addEventListener("news", soon);
  source.addEventListener("error", () => {
    // A browser tries again by itself, but not after an answer such as 502 or 503.
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(again);
    again = setTimeout(listen, AGAIN_MS * (0.75 + Math.random() / 2));
  });
}

listen();
addEventListener("pagehide", () => {
  clearTimeout(again);
  source.close();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) listen();
});
