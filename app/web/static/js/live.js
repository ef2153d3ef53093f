// News of a table as they happen: a stream, and a whole board again whenever it broke.

import { Refused } from "./api.js";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;

export class Live {
  /** `avatars()`: keys whose private news are wanted. */
  constructor(api, { avatars, onNews, onState, onDenied }) {
    Object.assign(this, { api, avatars, onNews, onState, onDenied });
    this.seq = null;
    this.failures = 0;
    this.source = null;
    this.run = 0;
    addEventListener("online", () => this.start());
    addEventListener("offline", () => this.#lost());
  }

  /** Catch up, then listen.  Also after `avatars()` has changed. */
  async start() {
    const run = ++this.run;
    this.source?.close();
    clearTimeout(this.timer);
    if (this.failures || this.seq === null) {
      this.onState(this.seq === null ? "connecting" : "reconnecting");
    }
    try {
      const news = await this.api.frames(this.seq, this.avatars());
      if (run !== this.run) return;
      this.#take(news);
    } catch (error) {
      if (run === this.run) this.#failed(error);
      return;
    }
    this.#listen(run);
  }

  stop(state) {
    this.run++;
    this.source?.close();
    clearTimeout(this.timer);
    this.onState(state);
  }

  #listen(run) {
    this.source = new EventSource(this.api.stream(this.seq, this.avatars()));
    this.source.addEventListener("open", () => {
      this.failures = 0;
      this.onState("live");
    });
    this.source.addEventListener("news", (event) => this.#take(JSON.parse(event.data)));
    this.source.addEventListener("error", () => {
      if (run === this.run) this.#lost();
    });
  }

  #take(news) {
    // A stream may repeat what a catch-up has brought already.
    const old = this.seq !== null && news.kind === "changes" && news.seq <= this.seq;
    this.seq = news.seq;
    this.onNews(news, old);
  }

  #failed(error) {
    if (error instanceof Refused && [401, 403].includes(error.status)) this.onDenied();
    else if (error instanceof Refused && error.status === 404) this.stop("gone");
    else this.#lost();
  }

  #lost() {
    this.run++;
    this.source?.close();
    this.failures++;
    this.onState(navigator.onLine === false || this.failures > 2 ? "offline" : "reconnecting");
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this.failures - 1), LONGEST_PAUSE_MS);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.start(), pause * (0.75 + Math.random() / 2));
  }
}
