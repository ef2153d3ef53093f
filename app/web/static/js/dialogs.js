// A script dialog as a viewer shows it: text, rows of three buttons from the bottom up, Ignore.

import { say } from "./words.js";

const PER_ROW = 3;

/** Labels in reading order, from llDialog's order. */
export function readingOrder(labels) {
  const rows = [];
  for (let i = 0; i < labels.length; i += PER_ROW) rows.unshift(labels.slice(i, i + PER_ROW));
  return rows;
}

export class DialogWindow {
  /** `onPress(dialog, label)` and `onIgnore()`. */
  constructor(place, { id, title, onPress, onIgnore }) {
    Object.assign(this, { place, id, title, onPress, onIgnore });
    this.dialog = null;
    this.close();
  }

  /** Show this dialog; one that is open gives way to it. */
  open(dialog) {
    const hadFocus = this.place.contains(document.activeElement);
    this.dialog = dialog;
    const window = element("section", "dialog");
    window.setAttribute("role", "dialog");
    window.setAttribute("aria-labelledby", `${this.id}-title`);
    window.setAttribute("aria-describedby", `${this.id}-words`);
    window.dataset.name = dialog.name;
    window.tabIndex = -1;

    const head = element("header");
    const title = element("h3", "", this.title);
    title.id = `${this.id}-title`;
    const ignore = element("button", "ignore", say("Ignore"));
    ignore.type = "button";
    ignore.addEventListener("click", () => this.ignore());
    head.append(title, ignore);

    const words = element("p", "words", dialog.text);
    words.id = `${this.id}-words`;
    const buttons = element("div", "buttons");
    readingOrder(dialog.buttons).forEach((row, y) =>
      row.forEach((label, x) => {
        const button = element("button", "", label);
        button.type = "button";
        button.style.gridArea = `${y + 1} / ${x + 1}`;
        button.addEventListener("click", () => {
          if (button.getAttribute("aria-disabled") !== "true") this.onPress(dialog, label);
        });
        buttons.append(button);
      }),
    );
    if (dialog.typed) buttons.append(this.entry(dialog, words.id));
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.ignore();
    });
    window.append(head, words, buttons);
    this.place.replaceChildren(window);
    if (hadFocus) window.focus({ preventScroll: true });
  }

  /** A text box instead of buttons, as llTextBox shows it. */
  entry(dialog, labelledBy) {
    const form = element("form", "entry");
    const input = element("input");
    input.maxLength = 250;
    input.setAttribute("aria-labelledby", labelledBy);
    const submit = element("button", "", say("Submit"));
    submit.type = "submit";
    form.append(input, submit);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (submit.getAttribute("aria-disabled") !== "true") this.onPress(dialog, input.value);
    });
    return form;
  }

  close() {
    const hadFocus = this.place.contains(document.activeElement);
    this.dialog = null;
    const idle = element("p", "idle", say("No dialog. A touch of the table brings back the one that is due."));
    this.place.replaceChildren(idle);
    return hadFocus;
  }

  ignore() {
    this.onIgnore(this.dialog, this.close());
  }

  /** While an answer is awaited nothing can be pressed; the focus stays where it is. */
  busy(is) {
    this.place.querySelector(".dialog")?.setAttribute("aria-busy", String(is));
    for (const button of this.place.querySelectorAll(".buttons button")) {
      button.setAttribute("aria-disabled", String(is));
    }
  }
}

export function element(tag, kind = "", text = "") {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text) made.textContent = text;
  return made;
}
