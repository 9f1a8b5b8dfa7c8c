// A terminal's screen, as `tmux capture-pane -e` writes it, as an SVG picture.

const WIDTH = 8.4;
const HEIGHT = 18;
const FONT_SIZE = 14;
const MARGIN = 12;
const FOREGROUND = "#eeeeee";
const BACKGROUND = "#0a0a0a";
const PLAIN = {
  fg: undefined,
  bg: undefined,
  bold: false,
  faint: false,
  italic: false,
  reverse: false,
};

/** The picture of a screen. `title` is what a person who cannot see it is told. */
export function pictureOf(screen, title) {
  const rows = screen.replace(/\n+$/, "").split("\n").map(runsOf);
  const columns = Math.max(
    ...rows.map((runs) => runs.reduce((sum, { text }) => sum + length(text), 0)),
  );
  const width = Math.ceil(columns * WIDTH + 2 * MARGIN);
  const height = rows.length * HEIGHT + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" xml:space="preserve">`,
    ...rows.flatMap((runs, row) => rowOf(runs, MARGIN + row * HEIGHT)),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** The runs of one line that look the same: `{ text, style }`. tmux begins each line plain. */
export function runsOf(line) {
  const runs = [];
  let style = PLAIN;
  for (const [, codes, text] of `\u001b[m${line}`.matchAll(SEQUENCE)) {
    style = styled(style, codes.split(/[;:]/).map(Number));
    if (text !== "") runs.push({ text, style });
  }
  return runs;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const SEQUENCE = /\u001b\[([\d;:]*)m([^\u001b]*)/g;

function styled(style, codes) {
  const [code, ...rest] = codes;
  if (code === undefined) return style;
  if (code === 38 || code === 48) {
    const [colour, used] = rest[0] === 2 ? [rgb(rest.slice(1, 4)), 4] : [indexed(rest[1]), 2];
    return styled({ ...style, [code === 38 ? "fg" : "bg"]: colour }, rest.slice(used));
  }
  return styled(simple(style, code), rest);
}

function simple(style, code) {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, faint: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 7) return { ...style, reverse: true };
  if (code === 22) return { ...style, bold: false, faint: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 27) return { ...style, reverse: false };
  if (code === 39) return { ...style, fg: undefined };
  if (code === 49) return { ...style, bg: undefined };
  if (code >= 30 && code <= 37) return { ...style, fg: indexed(code - 30) };
  if (code >= 40 && code <= 47) return { ...style, bg: indexed(code - 40) };
  if (code >= 90 && code <= 97) return { ...style, fg: indexed(code - 82) };
  if (code >= 100 && code <= 107) return { ...style, bg: indexed(code - 92) };
  return style;
}

const rgb = (parts) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

const LEVELS = [0, 95, 135, 175, 215, 255];

/** One of the 256 colours that a terminal knows by number. */
function indexed(number) {
  if (number >= 232) return rgb(Array(3).fill(8 + (number - 232) * 10));
  if (number >= 16) return rgb([36, 6, 1].map((by) => LEVELS[Math.floor((number - 16) / by) % 6]));
  const [on, off] = number >= 8 ? [255, 85] : [187, 0];
  return rgb([1, 2, 4].map((bit) => (number & bit ? on : off)));
}

function rowOf(runs, top) {
  let column = 0;
  return runs.flatMap(({ text, style }) => {
    const { bold, faint, italic, reverse } = style;
    const [fg = FOREGROUND, bg] = reverse
      ? [style.bg ?? BACKGROUND, style.fg ?? FOREGROUND]
      : [style.fg, style.bg];
    const x = MARGIN + column * WIDTH;
    const width = length(text) * WIDTH;
    column += length(text);
    const place = `x="${round(x)}" y="${top}"`;
    const behind =
      bg && bg !== BACKGROUND
        ? [`<rect ${place} width="${round(width)}" height="${HEIGHT}" fill="${bg}"/>`]
        : [];
    if (text.trim() === "") return behind;
    const look = [
      bold ? ' font-weight="bold"' : "",
      italic ? ' font-style="italic"' : "",
      faint ? ' opacity="0.6"' : "",
    ].join("");
    return [
      ...behind,
      `<text x="${round(x)}" y="${top + 13}" textLength="${round(width)}" lengthAdjust="spacingAndGlyphs" fill="${fg}"${look}>${escaped(text)}</text>`,
    ];
  });
}

const length = (text) => [...text].length;
const round = (number) => Math.round(number * 10) / 10;

const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
