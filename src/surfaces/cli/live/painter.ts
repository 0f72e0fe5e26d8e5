import { cutToWidth, displayWidth } from '../terminal/display-width.js';
import type { Terminal } from '../terminal/output.js';

/** A block of lines at the bottom of a terminal that is repainted while other text scrolls by above it. */
export interface Painter {
  /** Replaces the block with these lines, below `above`: whole lines with line breaks, which stay. */
  paint(lines: readonly string[], above?: string): void;
  /** Restores the cursor: another program may write now, so the block stays and the next one goes below it. */
  pause(): void;
  /** Keeps the block and restores the cursor. Idempotent. */
  close(): void;
}

export function createPainter(terminal: Terminal): Painter {
  let shown: readonly string[] = [];
  let isClosed = false;
  let isCursorShown = true;
  const showCursor = () => {
    if (!isCursorShown) terminal.write(SHOW_CURSOR);
    isCursorShown = true;
  };
  return {
    paint: (lines, above = '') => {
      if (isClosed) return terminal.write(above);
      const start = toStart(shown, terminal.columns());
      shown = fitTo(lines, terminal);
      // With wrapping, so that lines that stay are not cut off.
      const staying = above === '' ? '' : `${CLEAR_BELOW}${above}`;
      const block = shown.map(endLine).join('');
      const hiding = isCursorShown ? HIDE_CURSOR : '';
      isCursorShown = false;
      terminal.write(`${hiding}${start}${staying}${NO_WRAP}${block}${CLEAR_BELOW}${WRAP}`);
    },
    pause: () => {
      showCursor();
      shown = [];
    },
    close: () => {
      showCursor();
      isClosed = true;
    },
  };
}

const ESCAPE = '\u001b[';
const [HIDE_CURSOR, SHOW_CURSOR] = [`${ESCAPE}?25l`, `${ESCAPE}?25h`];
/** A character that is wider than expected must not add a line to the block. */
const [NO_WRAP, WRAP] = [`${ESCAPE}?7l`, `${ESCAPE}?7h`];
const [CLEAR_LINE, CLEAR_BELOW] = [`${ESCAPE}K`, `${ESCAPE}J`];

/** Overwrites instead of clearing first, to avoid flicker. */
const endLine = (line: string): string => `${line}${CLEAR_LINE}\n`;

/** Leaves one column free, because terminals differ in where the cursor goes after the last one, and the cursor's row. */
function fitTo(lines: readonly string[], terminal: Terminal): string[] {
  const most = Math.max(1, terminal.rows() - 1);
  return lines.slice(0, most).map(line => cutToWidth(line, terminal.columns() - 1));
}

/** Rows from below the block to its first line. A terminal that became narrower has wrapped its lines. */
function toStart(shown: readonly string[], columns: number): string {
  const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0);
  return rows === 0 ? '\r' : `\r${ESCAPE}${rows}A`;
}
