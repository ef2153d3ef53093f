// The draft of a theme: checked and shown while somebody types.

import { Board } from "./board.js";
import { say } from "./words.js";

const PAUSE_MS = 350;

const form = document.getElementById("theme");
const place = document.getElementById("board");
const state = document.getElementById("draft-state");
const board = place && new Board(place, () => {});
let timer = 0;
let run = 0;
let unsaved = "unsaved" in form.dataset;

// Who goes to another page with a draft is asked first; whatever is sent takes it along or is meant.
addEventListener("submit", () => (unsaved = false));
addEventListener("beforeunload", (event) => unsaved && event.preventDefault());

form.addEventListener("input", (event) => {
  unsaved = true;
  swatch(event.target);
  clearTimeout(timer);
  timer = setTimeout(draft, PAUSE_MS);
});

document.getElementById("look").remove(); // else Enter in a field would press it and not Save
document.getElementById("moment").addEventListener("change", draft);

// What is empty is as the theme has it, and need not be sent.
form.addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of [...formData]) if (!value) formData.delete(name);
});

async function draft() {
  const mine = ++run;
  try {
    const answer = await fetch(`${form.getAttribute("action")}/preview`, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
    });
    const body = await answer.json();
    if (mine !== run) return;
    if (!answer.ok) throw new Error(body?.error?.message);
    show(body);
  } catch (error) {
    // What the browser itself says of a lost connection is in no language of ours.
    const ours = !(error instanceof TypeError) && error.message;
    if (mine === run) state.textContent = ours || say("The table cannot be reached.");
  }
}

function show({ faults, said, board: frames }) {
  for (const field of form.querySelectorAll(".line textarea, .line input")) {
    const problem = faults[field.name] ?? "";
    const help = document.getElementById(`${field.name}-help`);
    help.querySelector(".problem").textContent = problem;
    if (problem) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
    const sounds = help.querySelector(".said");
    if (sounds && field.name in said) sounds.textContent = said[field.name];
  }
  if (board && frames) board.show(frames, true);
  const count = Object.keys(faults).length;
  if (count === 1) state.textContent = say("1 line cannot be so.");
  else if (count) state.textContent = say("{count} lines cannot be so.", { count });
  else state.textContent = say("A draft: not saved yet.");
}

function swatch(field) {
  const rect = field.closest(".one")?.querySelector(".swatch rect");
  const color = field.value.trim() || field.placeholder;
  if (rect && /^#[0-9a-f]{6}$/i.test(color)) rect.setAttribute("fill", color);
}
