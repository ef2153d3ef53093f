// The service as the page asks it: one table, with a token where there is one.

import { say } from "./words.js";

const TRIES = 3;
const PAUSE_MS = 400;

/** An answer that is not yes.  `dialog` may come with a refusal. */
export class Refused extends Error {
  constructor(status, body) {
    super(body?.error?.message ?? say("The table does not answer as it should."));
    this.status = status;
    this.code = body?.error?.code ?? "";
    this.dialog = body?.dialog ?? null;
  }
}

export class Api {
  constructor(base, table, token) {
    this.root = `${base}/tables/${encodeURIComponent(table)}`;
    this.token = token;
  }

  table() {
    return this.#get("");
  }

  /** The news since `since`, or everything when it is null. */
  frames(since, avatars) {
    return this.#get(`/frames?${this.#news(since, avatars)}`);
  }

  /** Address of the stream; an EventSource can send no headers, so the token goes along. */
  stream(since, avatars) {
    const query = this.#news(since, avatars);
    if (this.token) query.set("token", this.token);
    return `${this.root}/stream?${query}`;
  }

  touch(avatar, where) {
    return this.#post("/touches", { avatar, ...where });
  }

  press(avatar, token, button) {
    return this.#post("/presses", { avatar, token, button });
  }

  #news(since, avatars) {
    const query = new URLSearchParams();
    if (since !== null) query.set("since", since);
    for (const key of avatars) query.append("avatar", key);
    return query;
  }

  #headers() {
    return this.token ? { Authorization: `Bearer ${this.token}` } : {};
  }

  async #get(path) {
    return this.#answer(await fetch(this.root + path, { headers: this.#headers() }));
  }

  /** Sent again under the same id when no answer came: the service does it once. */
  async #post(path, body) {
    const request = {
      method: "POST",
      headers: { ...this.#headers(), "Content-Type": "application/json" },
      body: JSON.stringify({ id: uuid(), ...body }),
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#answer(await fetch(this.root + path, request));
      } catch (error) {
        if (error instanceof Refused && error.status < 500) throw error;
        if (attempt === TRIES) throw error;
        await new Promise((done) => setTimeout(done, PAUSE_MS * attempt));
      }
    }
  }

  async #answer(response) {
    const body = await response.json().catch(() => null);
    if (!response.ok) throw new Refused(response.status, body);
    return body;
  }
}

/** Also where a page is not a secure context and `randomUUID` is missing. */
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
