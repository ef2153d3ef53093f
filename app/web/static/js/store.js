// What the browser remembers of a table.  Where it may not remember, the page does while it lives.

const here = new Map();

export function recall(name) {
  try {
    const text = localStorage.getItem(name);
    if (text !== null) return JSON.parse(text);
  } catch {
    // Storage is off, full of something else, or another program's.
  }
  return here.get(name) ?? null;
}

/** False if it will be forgotten with the page. */
export function remember(name, value) {
  here.set(name, value);
  try {
    localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** The token out of `#token=…`, kept for next time and taken out of the address people copy. */
export function takeToken(table) {
  const name = `peril-token:${table}`;
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given && remember(name, given)) {
    history.replaceState(null, "", location.pathname + location.search);
  }
  return given || recall(name) || "";
}
