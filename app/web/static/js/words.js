// What scripts say, in the language of the page.

const words = JSON.parse(document.querySelector("[data-words]")?.dataset.words ?? "{}");

/** A line, with what its {names} stand for filled in. */
export function say(line, filled = {}) {
  const said = Object.hasOwn(words, line) ? words[line] : line;
  return said.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(filled, name) ? filled[name] : whole));
}

/** Several with commas between them; of “3 votes” there is “{n} votes”. */
export function each(lines) {
  return lines.split(", ").map(counted).join(", ");
}

function counted(line) {
  if (Object.hasOwn(words, line)) return say(line);
  const [n] = /\d+/.exec(line) ?? [];
  return n === undefined ? line : say(line.replace(n, "{n}"), { n });
}
