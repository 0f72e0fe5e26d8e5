import { formatRatio, formatValue } from './format-value.mjs';
import { groups } from './groups.mjs';

const CHARTED = [
  'start',
  'create',
  'item',
  'reset',
  'remove',
  'include',
  'parallel',
  'exec',
  'container',
  'full',
  'private git',
  'take-back',
];
const LABEL_WIDTH = 300;
const PLOT_WIDTH = 520;
const WIDTH = LABEL_WIDTH + PLOT_WIDTH + 150;
const BAR = 11;
const GAP = 8;
const TOP = 74;

/** Bars of the ratio to the plain tool on a logarithmic axis; a tick shows the target. SVG that follows light and dark. */
export function formatChart({ figures, targets, machine }) {
  const shown = figures.filter(({ group, ratio }) => CHARTED.includes(group) && ratio > 0);
  const axis = createAxis(shown.map(({ ratio }) => ratio));
  const { body, bottom } = drawGroups(shown, targets, axis);
  const height = bottom + 40;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    '<title>Time of Carrel in relation to the plain tool</title>',
    `<style>${style}</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}"/>`,
    `<text class="title" x="16" y="28">Time in relation to the plain tool in the same run (shorter is faster)</text>`,
    `<text class="note" x="16" y="47">${escapeText(machine)}</text>`,
    drawLegend(),
    drawAxis(axis, bottom),
    body,
    '</svg>\n',
  ].join('\n');
}

const style = `
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-size: 15px; font-weight: 600 } .group { font-weight: 600 } .note { font-size: 10px; fill: #57606a }
.value { paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
.paper { fill: #ffffff } .grid { stroke: #d0d7de } .git { stroke: #57606a; stroke-width: 1.5 }
.S { fill: #9ecbf5 } .M { fill: #4a90d9 } .L { fill: #1f5fa8 }
.target { stroke: #1a7f37; stroke-width: 2.5 } .missed { stroke: #cf222e }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .note { fill: #9198a1 } .value { stroke: #0d1117 } .paper { fill: #0d1117 } .grid { stroke: #30363d } .git { stroke: #9198a1 }
  .S { fill: #b6d8fa } .M { fill: #5b9fe6 } .L { fill: #2f72c4 } .target { stroke: #3fb950 } .missed { stroke: #f85149 }
}`;

/** From the power of ten below the smallest ratio to the one above the largest, 1 always included. */
function createAxis(ratios) {
  const from = Math.min(-1, Math.floor(Math.log10(Math.min(...ratios, 1))));
  const to = Math.max(1, Math.ceil(Math.log10(Math.max(...ratios, 1))));
  const x = ratio => LABEL_WIDTH + ((Math.log10(ratio) - from) / (to - from)) * PLOT_WIDTH;
  return { x, powers: Array.from({ length: to - from + 1 }, (_, index) => from + index) };
}

function drawGroups(figures, targets, axis) {
  let y = TOP + 16;
  const parts = [];
  for (const group of CHARTED) {
    const own = figures.filter(figure => figure.group === group);
    if (own.length === 0) continue;
    y += GAP;
    parts.push(`<text class="group" x="16" y="${y + 10}">${escapeText(groups[group])}</text>`);
    y += 20;
    for (const name of new Set(own.map(figure => figure.name))) {
      const bars = own.filter(figure => figure.name === name);
      parts.push(drawLabel(name, y + (bars.length * BAR) / 2 + 4));
      for (const figure of bars) {
        parts.push(drawBar(figure, targets, axis, y));
        y += BAR;
      }
      y += GAP;
    }
  }
  return { body: parts.join('\n'), bottom: y };
}

const drawLabel = (name, y) =>
  `<text x="${LABEL_WIDTH - 10}" y="${y}" text-anchor="end">${escapeText(name)}</text>`;

function drawBar(figure, targets, axis, y) {
  const { group, name, size, ratio, median, unit } = figure;
  const [start, end] = [axis.x(10 ** axis.powers[0]), axis.x(ratio)];
  const height = BAR - 1;
  const label = `${size} ${formatRatio(ratio)} · ${formatValue(median, unit)}`;
  const target = targets.find(
    each => each.kind === 'ratio' && each.group === group && each.name === name && each.size === size,
  );
  const bar = `<rect class="${size[0]}" x="${start}" y="${y}" width="${(end - start).toFixed(1)}" height="${height}"/>`;
  const tick = target ? drawTarget(target, axis, y, height) : '';
  const labelX = Math.max(end, target ? axis.x(target.atMost) : 0) + 6;
  return `${bar}${tick}<text class="note value" x="${labelX.toFixed(1)}" y="${y + height - 1}">${escapeText(label)}</text>`;
}

function drawTarget({ atMost, verdict }, axis, y, height) {
  const x = axis.x(atMost).toFixed(1);
  return `<line class="target ${verdict}" x1="${x}" x2="${x}" y1="${y - 1}" y2="${y + height + 1}"/>`;
}

function drawAxis({ x, powers }, bottom) {
  const line = (power, name) =>
    `<line class="${name}" x1="${x(10 ** power)}" x2="${x(10 ** power)}" y1="${TOP + 8}" y2="${bottom}"/>`;
  const label = power => {
    const text = power === 0 ? 'plain tool' : `${(10 ** power).toFixed(Math.max(0, -power))}x`;
    return `<text class="note" x="${x(10 ** power)}" y="${bottom + 16}" text-anchor="middle">${text}</text>`;
  };
  return powers.map(power => `${line(power, power === 0 ? 'git' : 'grid')}${label(power)}`).join('\n');
}

function drawLegend() {
  const sizes = ['S 150 files', 'M 10,000 files', 'L 80,000 files'];
  const boxes = sizes.map((text, index) => {
    const x = 16 + index * 120;
    return `<rect class="${text[0]}" x="${x}" y="58" width="10" height="10"/><text class="note" x="${x + 15}" y="67">${text}</text>`;
  });
  const x = 16 + sizes.length * 120;
  const tick = (at, name, text) =>
    `<line class="target ${name}" x1="${at}" x2="${at}" y1="57" y2="69"/><text class="note" x="${at + 7}" y="67">${text}</text>`;
  return [...boxes, tick(x, 'met', 'target, met'), tick(x + 90, 'missed', 'target, missed')].join('\n');
}

const escapeText = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
