// The board: paints frames onto the elements the server drew, and tells of touches.

import { celebrate } from "./confetti.js";
import { full, number, paint, rgb, svg } from "./paint.js";
import { each, say } from "./words.js";

const HOVER_WIDTH = 260;
const HOVER_HEIGHT = 80;
const HOVER_LINE = 24;

export class Board {
  /** `onTouch({prim, column?, row?})` is called when somebody touches the board. */
  constructor(element, onTouch) {
    this.element = element;
    this.onTouch = onTouch;
    this.prims = new Map();
    for (const group of element.querySelectorAll("[data-prim]")) {
      this.prims.set(group.dataset.prim, group);
    }
    this.sets = new Map();
    for (const set of element.querySelectorAll("[data-set]")) this.sets.set(set.dataset.set, set);
    this.hover = element.querySelector("#hover");
    this.words = element.querySelector("#board-text");
    this.frames = {};
  }

  /** Show these frames; `whole`: they are all there is. */
  show(frames, whole) {
    const gone = whole ? Object.keys(this.frames).filter((name) => !(name in frames)) : [];
    if (whole) this.frames = {};
    for (const name of gone) this.#one(name, full({ alpha: 0 }));
    for (const [name, frame] of Object.entries(frames)) {
      this.frames[name] = full(frame);
      this.#one(name, this.frames[name]);
    }
    if (this.words) this.words.textContent = this.#text();
  }

  #one(name, frame) {
    const group = this.prims.get(name);
    const set = this.sets.get(name);
    if (group) paint(group, frame);
    if (set) this.#rows(set, frame);
    if (!this.hover) return; // a face of a prim, which shows no plate
    if (name === "root") this.#hover(frame);
    if (frame.effect === "confetti") celebrate(this.element);
  }

  #rows(set, frame) {
    set.setAttribute("fill", rgb(frame.color));
    const rows = frame.rows.length ? frame.rows : [...set.children].map(() => "");
    set.toggleAttribute("data-blank", !rows.some((row) => row.trim()));
    const columns = rows[0].length || set.viewBox.baseVal.width / 10;
    set.setAttribute("viewBox", `0 0 ${columns * 10} ${rows.length * 20}`);
    const places = Array.from({ length: columns }, (_, i) => `${i * 10 + 5} `).join("");
    while (set.children.length > rows.length) set.lastElementChild.remove();
    rows.forEach((row, i) => {
      let text = set.children[i];
      if (!text) {
        text = svg("text", { "xml:space": "preserve", y: i * 20 + 15 });
        set.append(text);
      }
      if (text.getAttribute("x") !== places) text.setAttribute("x", places);
      if (text.textContent !== row) text.textContent = row;
    });
  }

  #hover(frame) {
    const lines = frame.text.split("\n");
    const longest = Math.max(1, ...lines.map((line) => [...line].length));
    const height = Math.min(HOVER_LINE, HOVER_HEIGHT / lines.length);
    const size = Math.min(0.87 * height, HOVER_WIDTH / (0.62 * longest));
    this.hover.setAttribute("fill", rgb(frame.text_color));
    this.hover.setAttribute("font-size", number(size));
    this.hover.replaceChildren(
      ...lines.map((line, i) => {
        const span = svg("tspan", { x: 110, y: number(74 - (lines.length - 1 - i) * height) });
        span.textContent = line;
        return span;
      }),
    );
  }

  #text() {
    const picture = (this.frames["TitleAction:0:0"]?.picture ?? "").replaceAll("_", " ");
    const parts = [`${say("Picture")}: ${each(picture) || say("none")}`];
    for (const name of ["Status", "Dice"]) {
      const words = (this.frames[name]?.rows ?? []).join(" ").split(/\s+/).filter(Boolean);
      if (words.length) parts.push(`${say(name)}: ${words.join(" ")}`);
    }
    return `${parts.join(". ")}.`;
  }

  /** Let people touch the board: with the mouse anywhere, with the keyboard by buttons. */
  open() {
    if (this.plate) return;
    this.element.classList.add("touchable");
    const ranking = this.element.querySelector(".ranking");
    const cells = this.sets.get("Leaderboard");
    this.plate = this.#button("touch", say("Touch the table"));
    this.element.querySelector(".root").append(this.plate);
    const back = this.#button("turn back", say("Ranking: page back"));
    const on = this.#button("turn on", say("Ranking: page on"));
    back.textContent = "←";
    on.textContent = "→";
    ranking.append(back, on);
    this.element.addEventListener("click", (event) => {
      if (event.target.closest(".back")) this.#turn(cells, 0, 0);
      else if (event.target.closest(".on")) this.#turn(cells, 1, 1);
      else if (event.target.closest(".ranking")) {
        const box = cells.getBoundingClientRect();
        this.#turn(
          cells,
          (event.clientX - box.left) / box.width,
          (event.clientY - box.top) / box.height,
        );
      } else this.onTouch({ prim: "root" });
    });
  }

  /** Who would touch, for those who hear the button. */
  name(avatar) {
    this.plate?.setAttribute("aria-label", say("Touch the table as {name}", { name: avatar }));
  }

  #button(kind, label) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = kind;
    button.setAttribute("aria-label", label);
    return button;
  }

  #turn(cells, across, down) {
    const { width, height } = cells.viewBox.baseVal;
    const cell = (part, count) => Math.min(count - 1, Math.max(0, Math.floor(part * count)));
    this.onTouch({
      prim: cells.dataset.set,
      column: cell(across, width / 10),
      row: cell(down, height / 20),
    });
  }
}
