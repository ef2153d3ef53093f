// Keeps the page of a table as it is now: its live parts are fetched anew when something happens.

const page = document.querySelector("main[data-api]");
const PAUSE_MS = 400;

let timer = 0;

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

const source = new EventSource(`${page.dataset.api}/stream?since=${page.dataset.seq}`);
source.addEventListener("news", () => {
  clearTimeout(timer);
  timer = setTimeout(() => refresh().catch(() => {}), PAUSE_MS);
});
addEventListener("pagehide", () => source.close());
