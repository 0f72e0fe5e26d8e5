// A terminal just large enough for what Carrel prints: text, line breaks, cursor up, erase, and the basic colours. Draws
// every screen that was seen as one group of an SVG that plays them in time, without scripts.

const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
/** Screens closer together than this are one. */
const SHORTEST_MS = 80;
const REST_MS = 4000;
const COLORS = ['#1d1f21', '#e0625a', '#7fb972', '#e3b341', '#6aa6e8', '#b58bd6', '#5fb8b8', '#d0d4da'];
const PLAIN = '#d0d4da';

export function drawSession(frames, { columns, rows }) {
  const screens = collectScreens(frames, columns, rows);
  const total = screens.at(-1).at + REST_MS;
  const width = Math.round(columns * CELL.width + 2 * MARGIN);
  const height = Math.round(rows * CELL.height + 2 * MARGIN);
  const groups = screens.map((screen, index) =>
    drawScreen(screen, screens[index + 1]?.at ?? total, total, index),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A recorded terminal session: carrel run takes a task through its stages, then its work is landed">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:${PLAIN}}g{visibility:hidden}
${groups.map(group => group.style).join('\n')}</style>
<rect width="100%" height="100%" rx="8" fill="#1d1f21"/>
${groups.map(group => group.body).join('\n')}
</svg>
`;
}

/** A reader whose settings ask for less motion sees the last screen only. */
function drawScreen({ at, lines }, until, total, index) {
  const percent = time => ((time / total) * 100).toFixed(3);
  const isLast = until === total;
  const name = `s${index}`;
  const style = `@keyframes ${name}{0%,${percent(at)}%{visibility:hidden}${percent(at + 1)}%,${percent(until)}%{visibility:visible}${isLast ? '' : `${percent(Math.min(until + 1, total))}%,100%{visibility:hidden}`}}
#${name}{animation:${name} ${(total / 1000).toFixed(2)}s step-end infinite}@media(prefers-reduced-motion){#${name}{animation:none;visibility:${isLast ? 'visible' : 'hidden'}}}`;
  const body = `<g id="${name}">${lines.map((line, row) => drawLine(line, row)).join('')}</g>`;
  return { style, body };
}

function drawLine(runs, row) {
  if (runs.length === 0) return '';
  const y = MARGIN + (row + 0.8) * CELL.height;
  const spans = runs.map(({ text, color, isDim, isBold, column }) => {
    const fill = color === undefined ? '' : ` fill="${color}"`;
    const look = `${isDim ? ' opacity="0.6"' : ''}${isBold ? ' font-weight="bold"' : ''}`;
    return `<tspan x="${(MARGIN + column * CELL.width).toFixed(1)}"${fill}${look}>${escapeText(text)}</tspan>`;
  });
  return `<text xml:space="preserve" y="${y.toFixed(1)}">${spans.join('')}</text>`;
}

const escapeText = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function collectScreens(frames, columns, rows) {
  const terminal = createTerminal(columns, rows);
  const screens = [];
  for (const { at, text } of frames) {
    terminal.write(text);
    const screen = { at, lines: terminal.lines() };
    if (screens.length > 0 && at - screens.at(-1).at < SHORTEST_MS) screens.at(-1).lines = screen.lines;
    else if (JSON.stringify(screens.at(-1)?.lines) !== JSON.stringify(screen.lines)) screens.push(screen);
  }
  return screens;
}

function createTerminal(columns, rows) {
  let grid = Array.from({ length: rows }, () => []);
  const at = { row: 0, column: 0 };
  let look = lookOf(0);
  const feed = () => {
    if (at.row < rows - 1) at.row++;
    else grid = [...grid.slice(1), []];
  };
  const put = character => {
    if (at.column >= columns) {
      at.column = 0;
      feed();
    }
    grid[at.row][at.column++] = { character, ...look };
  };
  const control = (parameters, code) => {
    const count = Number(parameters || 1);
    if (code === 'A') at.row = Math.max(0, at.row - count);
    if (code === 'G') at.column = count - 1;
    if (code === 'K') grid[at.row].length = Math.min(grid[at.row].length, at.column);
    if (code === 'J') {
      grid[at.row].length = Math.min(grid[at.row].length, at.column);
      for (let row = at.row + 1; row < rows; row++) grid[row] = [];
    }
    if (code === 'm') look = applyLook(look, parameters);
  };
  const write = text => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is read.
    for (const [piece, parameters, code] of text.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|./gsu)) {
      if (code !== undefined) control(parameters, code);
      else if (piece === '\n') feed();
      else if (piece === '\r') at.column = 0;
      else if (piece >= ' ') put(piece);
    }
  };
  return { write, lines: () => grid.map(toRuns) };
}

function applyLook(look, parameters) {
  let next = look;
  for (const code of (parameters || '0').split(';').map(Number)) next = { ...next, ...lookOf(code) };
  return next;
}

function lookOf(code) {
  if (code === 0) return { isBold: false, isDim: false, color: undefined };
  if (code === 1) return { isBold: true };
  if (code === 2) return { isDim: true };
  if (code === 22) return { isBold: false, isDim: false };
  if (code === 39) return { color: undefined };
  if (code >= 30 && code <= 37) return { color: COLORS[code - 30] };
  if (code >= 90 && code <= 97) return { color: code === 90 ? '#8a9199' : COLORS[code - 90] };
  return {};
}

/** Neighbours of one look are one piece of text; a space between is one of a piece. */
function toRuns(cells) {
  const runs = [];
  for (let column = 0; column < cells.length; column++) {
    const { character = ' ', ...look } = cells[column] ?? {};
    const last = runs.at(-1);
    if (last && JSON.stringify(last.look) === JSON.stringify(look)) last.text += character;
    else runs.push({ column, text: character, look });
  }
  return runs.filter(run => run.text.trim() !== '').map(({ look, ...run }) => ({ ...run, ...look }));
}
