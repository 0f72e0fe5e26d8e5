import { cutToWidth, displayWidth } from '../display-width.js';
import type { Terminal } from '../output.js';

/** A block of lines at the end of a terminal that is painted over and over, while other text scrolls by above it. */
export interface Painter {
  /** Puts these lines in the block's place, below `above`: whole lines, each with its end, that stay. */
  paint(lines: readonly string[], above?: string): void;
  /** Gives the cursor back: somebody else may write now, so what is painted stays and the next block goes below it. */
  pause(): void;
  /** Leaves the block as it is and gives the cursor back. Idempotent. */
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
      // With wrapping: nothing of what stays may be lost at the edge.
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
/** A character that is wider than we think must not push the block down by a line. */
const [NO_WRAP, WRAP] = [`${ESCAPE}?7l`, `${ESCAPE}?7h`];
const [CLEAR_LINE, CLEAR_BELOW] = [`${ESCAPE}K`, `${ESCAPE}J`];

/** Writing over instead of clearing first: so nothing flickers. */
const endLine = (line: string): string => `${line}${CLEAR_LINE}\n`;

/** One column stays free (a cursor behind the last one is a matter of taste), and the row that the cursor waits in. */
function fitTo(lines: readonly string[], terminal: Terminal): string[] {
  const most = Math.max(1, terminal.rows() - 1);
  return lines.slice(0, most).map(line => cutToWidth(line, terminal.columns() - 1));
}

/** From the line below the block to its first; a terminal that has become narrower has folded its lines. */
function toStart(shown: readonly string[], columns: number): string {
  const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0);
  return rows === 0 ? '\r' : `\r${ESCAPE}${rows}A`;
}
