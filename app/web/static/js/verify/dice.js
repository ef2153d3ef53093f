// The draws of a match, made again from the seed that was shown, as in app/verify/dice.py.

import { wrong } from "./words.js";

const WORD = 2 ** 32;
const text = new TextEncoder();

/** Whether this browser can do it: Web Crypto is there only on https and on this machine. */
export const able = () => globalThis.crypto?.subtle !== undefined;

const hex = (buffer) =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The seed in bytes; Wrong if it is not one. */
export function seedBytes(seed) {
  if (typeof seed !== "string" || !/^[0-9a-f]{64}$/.test(seed)) {
    wrong("The seed is not 64 hexadecimal digits.");
  }
  return Uint8Array.from(seed.match(/../g), (byte) => parseInt(byte, 16));
}

export async function commitment(seed) {
  return hex(await crypto.subtle.digest("SHA-256", seed));
}

/** The running hash with one more command, its fields in the order of the log. */
export async function chosen(choices, actor, command) {
  const written = text.encode(`${choices}\n${actor}\n${JSON.stringify(command)}`);
  return hex(await crypto.subtle.digest("SHA-256", written));
}

/** One of 0…among-1. */
async function draw(seed, message, among) {
  const how = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", seed, how, false, ["sign"]);
  const limit = WORD - (WORD % among);
  for (let block = 0; ; block++) {
    const digest = await crypto.subtle.sign("HMAC", key, text.encode(`${message}\n${block}`));
    const view = new DataView(digest);
    for (let at = 0; at < view.byteLength; at += 4) {
      const value = view.getUint32(at);
      if (value < limit) return value % among;
    }
  }
}

/** A draw of the log against the seed.  Wrong if it fell otherwise. */
export async function check(seed, match, number, entropy, drawn) {
  const { among } = drawn;
  if (drawn.number !== number) {
    wrong("It is called draw {said}, but it is draw {number} of the match.", { said: drawn.number, number });
  }
  if (!Number.isInteger(among) || among < 1 || among >= WORD) {
    wrong("Draw {number} is of no possible number of possibilities.", { number });
  }
  const index = await draw(seed, `${match}\n${number}\n${entropy}`, among);
  if (drawn.index !== index) {
    wrong(
      "Draw {number} of {among} possibilities gives {index} (counted from 0), but the log says {said}.",
      { number, among, index, said: drawn.index },
    );
  }
}
