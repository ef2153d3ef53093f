// The page of a match that is over: its log is checked here, line by line.

import { element } from "./dialogs.js";
import { able, verify } from "./verify.js";
import { say } from "./words.js";

const LINES_AT_ONCE = 20;

const main = document.querySelector("main.match");
const verdict = document.getElementById("verdict");
const rows = document.getElementById("log").children;

function tell(state, ...sentences) {
  verdict.dataset.state = state;
  verdict.replaceChildren(...sentences.map((sentence) => element("p", "", sentence)));
}

function mark(row, state, label) {
  if (!row) return;
  row.dataset.state = state;
  row.querySelector(".mark").setAttribute("aria-label", label);
}

function accuse({ index, line, what }) {
  const row = rows[index];
  mark(row, "bad", say("lies"));
  row?.querySelector(".told").append(element("p", "lie", what));
  const link = element("a", "", say("Line {line} lies.", { line }));
  link.href = `#${row?.id}`;
  const first = element("p");
  first.append(link, ` ${what}`);
  verdict.dataset.state = "bad";
  verdict.replaceChildren(
    first,
    element("p", "", say("The lines before it fit one another; those after it were not checked.")),
  );
}

async function check() {
  if (!able()) {
    tell(
      "still",
      say(
        "This browser cannot check the match here: the page did not come by https, and without " +
          "that browsers lend no cryptography.",
      ),
      say("Elsewhere it can be done: {command}", { command: `peril verify ${location.href}` }),
    );
    return;
  }
  tell("busy", say("Checking the log…"));
  let log;
  try {
    const answer = await fetch(main.dataset.log);
    if (!answer.ok) throw new Error();
    log = await answer.json();
  } catch {
    tell("still", say("The log cannot be loaded now. Reload the page to check the match."));
    return;
  }
  const { over, forgotten, lie, sentences } = await verify(log, async (index) => {
    mark(rows[index], "good", say("fits"));
    // Let the browser paint, so that one sees the check go down the log.
    if (index % LINES_AT_ONCE === 0) await new Promise((done) => setTimeout(done));
  });
  if (lie) accuse(lie);
  else tell(over && !forgotten ? "good" : "still", ...sentences);
}

check();
