// Local avatars: as many people as one likes on one laptop, each with a small viewer window.

import { uuid } from "./api.js";
import { DialogWindow, element } from "./dialogs.js";
import { full, paint, prim, rgb, svg } from "./paint.js";
import { recall, remember } from "./store.js";
import { say } from "./words.js";

const MOST_LINES = 30;
const LINK = /https?:\/\/[^\s]+\/me\/open\?code=[\w-]+/;
const HUD_SIZE = 100;

/** One avatar's card. */
class Avatar {
  constructor({ key, name }, isOwner, title, people) {
    Object.assign(this, { key, name, isOwner, people });
    this.handled = new Set();
    this.waiting = Promise.resolve();
    this.card = element("article", "avatar");
    this.card.dataset.key = key;
    this.card.setAttribute("aria-label", name);
    this.card.append(this.#top(), this.#view(title));
    this.tab = element("button");
    this.tab.type = "button";
    this.tab.append(element("bdi", "", name));
    this.tab.addEventListener("click", () => people.activate(this));
    this.showHud(null);
  }

  #top() {
    const top = element("header", "avatar-top");
    this.choose = element("button", "name");
    this.choose.type = "button";
    this.choose.append(element("bdi", "", this.name));
    if (this.isOwner) this.choose.append(element("span", "tag", say("owner")));
    this.choose.title = say("This avatar touches the board");
    this.choose.addEventListener("click", () => this.people.activate(this));
    this.touchButton = element("button", "touch", say("Touch table"));
    this.touchButton.type = "button";
    this.touchButton.setAttribute("aria-label", say("Touch table as {name}", this));
    this.touchButton.addEventListener("click", () => {
      this.people.activate(this);
      this.touch({ prim: "root" });
    });
    top.append(this.choose, this.touchButton);
    if (!this.isOwner) {
      const remove = element("button", "remove", "✕");
      remove.type = "button";
      remove.setAttribute("aria-label", say("Put {name} away", this));
      remove.title = say("Put this avatar away; a seat it has at the table stays");
      remove.addEventListener("click", () => this.people.remove(this));
      top.append(remove);
    }
    return top;
  }

  #view(title) {
    const view = element("div", "view");
    this.hud = element("div", "hud");
    this.hud.setAttribute("role", "group");
    this.hud.setAttribute("aria-label", say("HUD of {name}", this));
    const picture = svg("svg", { viewBox: `0 0 ${HUD_SIZE} ${HUD_SIZE}`, "aria-hidden": "true" });
    this.hudPrim = prim(HUD_SIZE);
    picture.append(this.hudPrim);
    this.hudText = element("p");
    this.hudPicture = picture;
    this.hud.append(picture, this.hudText);
    this.lines = element("ol", "lines");
    this.lines.setAttribute("role", "log");
    this.lines.setAttribute("aria-label", say("Private lines to {name}", this));
    this.lines.tabIndex = 0;
    const place = element("div", "dialog-place");
    this.window = new DialogWindow(place, {
      id: `dialog-${this.key}`,
      title: say("{table} to {name}", { table: title, name: this.name }),
      onPress: (dialog, label) => this.press(dialog, label),
      onIgnore: (dialog, hadFocus) => this.#closed(dialog, hadFocus),
    });
    view.append(this.hud, place, this.lines);
    return view;
  }

  showHud(frame) {
    this.hud.classList.toggle("none", !frame);
    this.hudPicture.toggleAttribute("hidden", !frame);
    if (!frame) {
      this.hudText.textContent = say("No HUD: not in a game.");
      this.hudText.style.color = "";
      return;
    }
    const shown = full(frame);
    paint(this.hudPrim, shown);
    this.hudText.textContent = shown.text;
    this.hudText.style.color = rgb(shown.text_color);
  }

  hear(lines, refused = false) {
    for (const line of lines) this.lines.append(element("li", refused ? "refused" : "", line));
    while (this.lines.children.length > MOST_LINES) this.lines.firstElementChild.remove();
    if (lines.length) this.lines.scrollTop = this.lines.scrollHeight;
  }

  #handOver(line) {
    const [address] = LINK.exec(line) ?? [];
    if (!address) return;
    const [before, after] = line.split(address);
    const item = element("li", "", before);
    const link = element("a", "", address);
    Object.assign(link, { href: address, target: "_blank", rel: "noopener noreferrer" });
    item.append(link, after);
    this.lines.append(item);
    this.hear([]);
    this.lines.scrollTop = this.lines.scrollHeight;
    this.people.say(say("To {name}: a link to the data stored about this avatar", this));
  }

  /** A dialog came.  The stream may bring one that an answer has brought before. */
  offer(dialog, fromStream) {
    if (fromStream && this.handled.has(dialog.token)) return;
    this.handled.add(dialog.token);
    this.window.open(dialog);
    this.tab.toggleAttribute("data-asked", true);
    if (fromStream) this.people.say(say("{name} is asked: {text}", { name: this.name, text: dialog.text }));
  }

  #closed(dialog, hadFocus) {
    if (dialog) this.handled.add(dialog.token);
    this.tab.removeAttribute("data-asked");
    if (hadFocus) this.touchButton.focus({ preventScroll: true });
  }

  touch(where) {
    return this.#ask(() => this.people.api.touch(this.identity, where), null);
  }

  press(dialog, label) {
    return this.#ask(() => this.people.api.press(this.identity, dialog.token, label), dialog);
  }

  get identity() {
    return { key: this.key, name: this.name };
  }

  /** One question at a time, in the order they were asked. */
  #ask(send, pressed) {
    this.window.busy(true);
    this.waiting = this.waiting.then(async () => {
      this.window.busy(true);
      try {
        this.#answered(await send(), pressed);
      } catch (error) {
        this.hear([error.message], true);
        this.people.say(say("To {name}: {text}", { name: this.name, text: error.message }));
        this.#answered({ dialog: error.dialog }, pressed);
      }
      this.window.busy(false);
    });
    return this.waiting;
  }

  /**
   * The dialog that follows.  Lines of the answer come by the stream too, in their order; only a
   * link to one's own data comes by nothing else.
   */
  #answered({ dialog, lines = [] }, pressed) {
    for (const line of lines) this.#handOver(line);
    if (dialog) this.offer(dialog, false);
    else if (pressed && this.window.dialog === pressed) this.#closed(pressed, this.window.close());
  }
}

/** All of them, and the one that touches the board.  `owner` is null where nobody may be him. */
export class People {
  constructor({ section, table, title, owner, api, onChange, onActive }) {
    Object.assign(this, { section, api, title, owner, onChange, onActive });
    this.store = `peril-avatars:${table}`;
    this.cards = section.querySelector("#cards");
    this.tabs = section.querySelector("#tabs");
    this.news = section.querySelector("#news");
    this.name = section.querySelector("#add-name");
    this.avatars = [];
    this.active = null;
    const kept = recall(this.store);
    const others = (kept?.avatars ?? []).filter((one) => one.key && one.key !== owner?.key);
    if (owner) this.#seat(owner, true);
    for (const one of others) this.#seat(one, false);
    this.activate(this.find(kept?.active) ?? this.avatars[0] ?? null);
    this.#form();
    section.hidden = false;
  }

  get keys() {
    return this.avatars.map((avatar) => avatar.key);
  }

  find(key) {
    return this.avatars.find((avatar) => avatar.key === key);
  }

  add(name) {
    const avatar = this.#seat({ key: uuid(), name }, false);
    this.activate(avatar);
    this.onChange();
    return avatar;
  }

  remove(avatar) {
    this.avatars = this.avatars.filter((one) => one !== avatar);
    avatar.card.remove();
    avatar.tab.remove();
    if (this.active === avatar) this.activate(this.avatars.at(-1) ?? null);
    (this.active?.choose ?? this.name).focus();
    this.#keep();
    this.onChange();
  }

  activate(avatar) {
    this.active = avatar;
    for (const one of this.avatars) {
      one.card.toggleAttribute("data-active", one === avatar);
      one.tab.setAttribute("aria-pressed", String(one === avatar));
      one.choose.setAttribute("aria-pressed", String(one === avatar));
    }
    this.#keep();
    if (avatar) this.onActive(avatar);
  }

  /** The active avatar touches; without one, somebody has to be added first. */
  touch(where) {
    if (this.active) this.active.touch(where);
    else this.name.focus();
  }

  /** Private news: key → lines, dialog, HUD. */
  take(seats, old) {
    for (const [key, seat] of Object.entries(seats ?? {})) {
      const avatar = this.find(key);
      if (!avatar) continue;
      if ("hud" in seat) avatar.showHud(seat.hud);
      if (!old) avatar.hear(seat.lines ?? []);
      if (seat.dialog) avatar.offer(seat.dialog, true);
    }
  }

  say(words) {
    this.news.textContent = words;
  }

  #seat(identity, isOwner) {
    const avatar = new Avatar(identity, isOwner, this.title, this);
    this.avatars.push(avatar);
    this.cards.append(avatar.card);
    this.tabs.append(avatar.tab);
    return avatar;
  }

  #keep() {
    remember(this.store, {
      avatars: this.avatars.filter((a) => !a.isOwner).map((a) => a.identity),
      active: this.active?.key,
    });
  }

  #form() {
    const form = this.section.querySelector("#add");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = form.elements.name.value.trim() || say("Guest {number}", { number: this.avatars.length });
      form.reset();
      this.add(name).card.scrollIntoView({ block: "nearest" });
    });
  }
}
