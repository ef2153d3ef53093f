// Keeps the front page fresh: what the server makes of it now takes the place of what is old.

const EVERY_MS = 15_000;
const LONGEST_MS = 120_000;

const fresh = document.getElementById("fresh");
let failures = 0;
let timer = 0;
let asOf = new Date();

function clock(moment) {
  return moment.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

function tell(state) {
  fresh.hidden = false;
  fresh.dataset.state = state;
  const { live, offline } = fresh.dataset;
  const text = state === "live" ? live : `${offline} ${clock(asOf)}`;
  if (fresh.textContent !== text) fresh.textContent = text;
  document.body.classList.toggle("stale", state !== "live");
}

/** Only parts that changed are put in, and none in which somebody just is. */
function take(page) {
  for (const part of document.querySelectorAll("[data-fresh]")) {
    const now = page.querySelector(`[data-fresh="${part.dataset.fresh}"]`);
    if (!now || now.innerHTML === part.innerHTML || part.contains(document.activeElement)) continue;
    part.replaceChildren(...document.importNode(now, true).childNodes);
  }
}

async function refresh() {
  clearTimeout(timer);
  try {
    const answer = await fetch(location.pathname, { cache: "no-cache" });
    if (!answer.ok) throw new Error(answer.statusText);
    take(new DOMParser().parseFromString(await answer.text(), "text/html"));
    asOf = new Date();
    failures = 0;
    tell("live");
  } catch {
    failures++;
    tell("offline");
  }
  if (document.hidden) return; // goes on when it is looked at again
  timer = setTimeout(refresh, Math.min(EVERY_MS * 2 ** failures, LONGEST_MS));
}

addEventListener("online", refresh);
addEventListener("offline", () => tell("offline"));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
tell("live");
timer = setTimeout(refresh, EVERY_MS);
