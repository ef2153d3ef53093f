// What the parts of the verifier share, as in app/verify/words.py.

import { say } from "../words.js";

export const SERVER = "server";
export const NOBODY = "";

// Fields that nothing in the log decides.
const NOT_COMPARED = Object.fromEntries(
  ["joined", "renamed", "scored", "acted_for_owner"].map((kind) => [kind, ["name"]]),
);

/** A line says what does not follow.  Its message is a sentence. */
export class Wrong extends Error {}

export function wrong(line, filled = {}) {
  throw new Wrong(say(line, filled));
}

/** The type of an event or command as people read it. */
export function words(kind) {
  return say(kind.slice(kind.lastIndexOf(".") + 1).replaceAll("_", " "));
}

/** A value in a sentence, players by their names. */
export function show(value, names) {
  if (value === null || value === undefined || value === "") return say("nothing");
  if (typeof value === "boolean") return say(value ? "yes" : "no");
  if (Array.isArray(value)) {
    return value.length ? value.map((v) => show(v, names)).join(", ") : say("nothing");
  }
  if (typeof value === "object") {
    const parts = Object.entries(value).map(([k, v]) => `${k} ${show(v, names)}`);
    return parts.join(", ") || say("nothing");
  }
  return names.get(String(value)) ?? String(value);
}

export const plain = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Equal as JSON is. */
export function same(one, other) {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((v, i) => same(v, other[i]));
  }
  if (plain(one) && plain(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((k) => Object.hasOwn(other, k) && same(one[k], other[k]))
    );
  }
  return one === other;
}

/** Whether an object has these fields and no others. */
export function says(value, fields) {
  const keys = Object.keys(value);
  return keys.length === fields.length && fields.every((f) => Object.hasOwn(value, f));
}

/** The events of a line against those that follow from the rules. */
export function compare(expected, told, names) {
  for (let i = 0; i < Math.max(expected.length, told.length); i++) {
    const want = expected[i];
    const said = told[i];
    if (!want) wrong("“{said}” is too much here; it does not follow.", { said: words(said.type) });
    if (!said) wrong("The line lacks “{want}”, which follows.", { want: words(want.type) });
    if (want.type !== said.type) {
      const kinds = { said: words(said.type), want: words(want.type) };
      wrong("It says “{said}” where “{want}” follows.", kinds);
    }
    fields(want, said, names);
  }
}

function fields(want, said, names) {
  const kind = want.type;
  for (const field of new Set([...Object.keys(want), ...Object.keys(said)])) {
    let right = want[field];
    let given = said[field];
    if (NOT_COMPARED[kind]?.includes(field) && typeof given === "string") continue;
    if (field === "options" && plain(given)) [right, given] = firstOther(right, given);
    else if (!Object.hasOwn(want, field)) right = null;
    if (!same(right, given) || !Object.hasOwn(said, field)) {
      const values = { given: show(given, names), right: show(right, names) };
      wrong("“{kind}” says {field} {given}, but {right} follows.", { kind: words(kind), field, ...values });
    }
  }
}

/** Of the options that decide anything the first that differs, on either side. */
function firstOther(right, given) {
  for (const [name, value] of Object.entries(right)) {
    if (!Object.hasOwn(given, name) || !same(value, given[name])) {
      return [{ [name]: value }, { [name]: given[name] ?? null }];
    }
  }
  return [null, null];
}
