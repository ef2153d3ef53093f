// What scripts say, in the language of the page.

const words = JSON.parse(document.querySelector("[data-words]")?.dataset.words ?? "{}");

export const say = (line) => words[line] ?? line;
