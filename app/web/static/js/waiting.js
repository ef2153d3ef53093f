// Who is waited for, and how long still.

import { element } from "./dialogs.js";

const SOON_S = 10;

export class Waiting {
  constructor(root) {
    this.element = root;
    this.names = root.querySelector("#waiting-names");
    this.left = root.querySelector("#waiting-left");
    this.bar = root.querySelector("#waiting-bar");
    this.until = null;
    this.whole = 1;
    setInterval(() => this.#tick(), 250);
  }

  /** `waiting`: {for, left_s} or null. */
  show(waiting) {
    this.element.hidden = !waiting?.for?.length;
    if (this.element.hidden) {
      this.until = null;
      return;
    }
    const left = waiting.left_s ?? null;
    const until = left === null ? null : performance.now() + left * 1000;
    const another = this.names.textContent !== waiting.for.join(", ") || this.until === null;
    if (another || left > this.whole) this.whole = Math.max(left ?? 1, 1);
    // Each by itself, so that none turns the others round.
    const names = waiting.for.map((name) => element("bdi", "", name));
    if (another) this.names.replaceChildren(...names.flatMap((name, i) => (i ? [", ", name] : [name])));
    this.until = until;
    this.#tick();
  }

  #tick() {
    if (this.until === null) {
      this.left.textContent = "";
      return;
    }
    const seconds = Math.max(0, Math.ceil((this.until - performance.now()) / 1000));
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    if (this.left.textContent !== clock) this.left.textContent = clock;
    this.bar.value = Math.min(1, seconds / this.whole);
    this.element.toggleAttribute("data-soon", seconds <= SOON_S);
  }
}
