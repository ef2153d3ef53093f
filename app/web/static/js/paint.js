// A frame onto a prim's elements: the same attributes as templates/board.html writes.

const SVG = "http://www.w3.org/2000/svg";
const WHITE = [1, 1, 1];
const PICTURE = /^[a-z0-9_]+$/;
const TEXTURE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNKNOWN_PICTURE = "silhouette";
const HALO_PER_GLOW = 4;

const byte = (part) => Math.floor(Math.min(Math.max(part, 0), 1) * 255 + 0.5);
export const number = (value) => String(Math.round(value * 100) / 100);

export const rgb = (color) => `rgb(${color.map(byte).join(",")})`;
export const art = (picture) =>
  TEXTURE.test(picture)
    ? `/pictures/${picture}.jpg`
    : `/static/art/${PICTURE.test(picture) ? picture : UNKNOWN_PICTURE}.svg`;

export function svg(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** The frame with what its JSON leaves out. */
export const full = (frame) => ({
  picture: "",
  color: WHITE,
  alpha: 1,
  glow: 0,
  text: "",
  text_color: WHITE,
  rows: [],
  effect: "",
  ...frame,
});

/** Id of the filter that multiplies by `color`, made when it is first needed; "" for white. */
function tint(color) {
  if (color.every((part) => part === 1)) return "";
  const bytes = color.map(byte);
  const id = `tint-${bytes.join("-")}`;
  if (!document.getElementById(id)) {
    const [red, green, blue] = bytes.map((part) => (part / 255).toFixed(4));
    const filter = svg("filter", {
      id,
      x: "0",
      y: "0",
      width: "100%",
      height: "100%",
      "color-interpolation-filters": "sRGB",
    });
    const values = `${red} 0 0 0 0 0 ${green} 0 0 0 0 0 ${blue} 0 0 0 0 0 1 0`;
    filter.append(svg("feColorMatrix", { values }));
    document.getElementById("tints").append(filter);
  }
  return id;
}

function show(element, shown) {
  if (shown) element.removeAttribute("display");
  else element.setAttribute("display", "none");
}

/** Paint a prim: its group holds a halo, a plain face and a picture. */
export function paint(group, frame) {
  const [halo, plain, image] = group.children;
  group.setAttribute("opacity", number(frame.alpha));
  show(group, frame.alpha > 0);
  halo.setAttribute("fill", rgb(frame.color));
  halo.setAttribute("opacity", number(Math.min(1, frame.glow * HALO_PER_GLOW)));
  show(halo, frame.glow > 0);
  plain.setAttribute("fill", rgb(frame.color));
  show(plain, !frame.picture);
  show(image, Boolean(frame.picture));
  if (!frame.picture) {
    image.removeAttribute("href");
    image.removeAttribute("filter");
    return;
  }
  const address = art(frame.picture);
  if (image.getAttribute("href") !== address) image.setAttribute("href", address);
  const filter = tint(frame.color);
  if (filter) image.setAttribute("filter", `url(#${filter})`);
  else image.removeAttribute("filter");
}

/** A prim of its own, for HUDs. */
export function prim(size) {
  const box = { x: 0, y: 0, width: size, height: size };
  const group = svg("g");
  group.append(
    svg("rect", { ...box, class: "halo", rx: 4, filter: "url(#halo)" }),
    svg("rect", { ...box, class: "plain" }),
    svg("image", { ...box, preserveAspectRatio: "none" }),
  );
  return group;
}
