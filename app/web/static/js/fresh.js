// Parts of a page as the server makes them now, and a line that says of when they are.

const PATIENCE_MS = 10_000;
const CLICK_MS = 300;

const line = document.getElementById("fresh");
let asOf = new Date();
let latest = null;

/** Fetch the page and put in what changed.  False if it cannot be had, which the line then says. */
export async function refresh() {
  let state = "offline";
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(location.pathname, { cache: "no-cache", signal });
    if (answer.status === 403) state = "closed";
    if (!answer.ok) throw new Error(answer.statusText);
    latest = new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    tell(state);
    return false;
  }
  take();
  asOf = new Date();
  tell("live");
  return true;
}

export function tell(state) {
  line.hidden = false;
  line.dataset.state = state;
  const words = line.dataset[state];
  const text = state === "live" ? words : `${words} ${clock(asOf)}`;
  if (line.textContent !== text) line.textContent = text;
  document.body.classList.toggle("stale", state !== "live");
}

function clock(moment) {
  return moment.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/** Nothing moves under somebody who is about to press. */
function take() {
  for (const part of document.querySelectorAll("[data-fresh]")) {
    const now = latest.querySelector(`[data-fresh="${part.dataset.fresh}"]`);
    if (!now || now.innerHTML === part.innerHTML || part.contains(document.activeElement)) continue;
    part.replaceChildren(...document.importNode(now, true).childNodes);
  }
}

// What was left out is made up for when he is elsewhere, and done with the click that led him there.
addEventListener("focusout", () => setTimeout(() => latest && take(), CLICK_MS));
addEventListener("offline", () => tell("offline"));
