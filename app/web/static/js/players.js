// The players in words, for everybody; the same words as templates/table.html.

import { element } from "./dialogs.js";
import { full, paint, prim, rgb, svg } from "./paint.js";
import { each, say } from "./words.js";

const FLOATER_SIZE = 100;

/** How a player stands, in a word or two. */
export function seatState(seat, stage, starter) {
  if (seat.winner) return "winner";
  if (seat.out) return "eliminated";
  if (seat.marks?.length) return seat.marks.join(", ");
  if (stage === "lobby") {
    if (seat.ready || seat.bot) return "ready";
    return seat.key === starter ? "may start" : "not ready";
  }
  return seat.auto ? "bot plays" : "";
}

/** The odds of the throw that comes, in the words of web/pages.py. */
export function odds(chances) {
  return chances.map(({ what, share }) => `${say(what)} ${Math.round(share * 100)} %`).join(" · ");
}

/** `state`: the public view of the match. */
export function showPlayers(list, { seats, starter }, stage) {
  if (!seats.length) {
    list.replaceChildren(element("li", "none", say("Nobody sits at the table yet.")));
    return;
  }
  const link = list.contains(document.activeElement) ? document.activeElement.href : "";
  seats.forEach((seat, i) => {
    const [old, now] = [list.children[i], player(seat, stage, starter)];
    if (!old) list.append(now);
    else if (!old.isEqualNode(now)) old.replaceWith(now);
  });
  while (list.children.length > seats.length) list.lastElementChild.remove();
  // Who stands on a name stays there, also when the line is another one now.
  if (link) [...list.querySelectorAll("a")].find((one) => one.href === link)?.focus({ preventScroll: true });
}

function player(seat, stage, starter) {
  const item = element("li");
  const how = seatState(seat, stage, starter);
  item.dataset.state = how;
  const who = element("span", "who");
  const name = element("bdi", "", seat.name);
  if (seat.bot) who.append(name);
  else {
    const link = element("a");
    link.setAttribute("href", `/p/${encodeURIComponent(seat.key)}`);
    link.append(name);
    who.append(link);
  }
  if (seat.bot) who.append(" ", element("span", "tag", say("bot")));
  item.append(who);
  if (how) item.append(" ", element("span", "how", each(how)));
  if (seat.lives !== undefined && seat.lives !== null) {
    const lives = `${seat.lives} ${say(seat.lives === 1 ? "life" : "lives")}`;
    const shown = element("span", "lives", lives);
    shown.dataset.lives = seat.lives;
    item.append(" ", shown);
  }
  if (seat.floater) item.append(floater(full(seat.floater)));
  return item;
}

/** What floats over a bot in-world, where the table tells of it (`make region`). */
function floater(frame) {
  const shown = element("span", "floater");
  const picture = svg("svg", { viewBox: `0 0 ${FLOATER_SIZE} ${FLOATER_SIZE}`, "aria-hidden": "true" });
  const painted = prim(FLOATER_SIZE);
  picture.append(painted);
  paint(painted, frame);
  const text = element("span", "", frame.text);
  text.style.color = rgb(frame.text_color);
  shown.append(picture, text);
  return shown;
}
