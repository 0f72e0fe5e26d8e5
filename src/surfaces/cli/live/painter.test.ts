import { expect, it } from 'vitest';
import { createPainter } from './painter.js';

const ESCAPE = '\u001b';
const SEQUENCE_OR_CHARACTER = new RegExp(`${ESCAPE}\\[(\\??\\d*)([a-zA-Z])|.`, 'gs');

/** A minimal terminal: text, line breaks, and the cursor movements that the painter uses. */
function openScreen(columns: number, rows = 24) {
  const size = { columns, rows };
  let lines: string[] = [''];
  let row = 0;
  let column = 0;
  let isCursorShown = true;
  const put = (character: string) => {
    if (column >= size.columns) column = size.columns - 1;
    const line = (lines[row] ?? '').padEnd(column);
    lines[row] = line.slice(0, column) + character + line.slice(column + 1);
    column++;
  };
  const control = (amount: string, letter: string) => {
    if (letter === 'A') row = Math.max(0, row - Number(amount));
    else if (letter === 'K') lines[row] = (lines[row] ?? '').slice(0, column);
    else if (letter === 'J') lines = [...lines.slice(0, row), (lines[row] ?? '').slice(0, column)];
    else if (amount === '?25') isCursorShown = letter === 'h';
  };
  const write = (text: string) => {
    for (const [part, amount = '', letter = ''] of text.matchAll(SEQUENCE_OR_CHARACTER)) {
      if (letter !== '') control(amount, letter);
      else if (part === '\r') column = 0;
      else if (part === '\n') [row, column] = [row + 1, 0];
      else put(part);
    }
  };
  return {
    terminal: { write, columns: () => size.columns, rows: () => size.rows },
    size,
    text: () => lines.map(line => line.trimEnd()).filter((line, index) => line !== '' || index < row),
    isCursorShown: () => isCursorShown,
    /** What a terminal that wraps lines does when it becomes narrower. */
    narrow: (to: number) => {
      size.columns = to;
      lines = lines.flatMap(line => line.match(new RegExp(`.{1,${to}}`, 'g')) ?? ['']);
      row = lines.length - 1;
    },
  };
}

it('overwrites the last frame when the block grows or shrinks', () => {
  const screen = openScreen(20);
  const painter = createPainter(screen.terminal);
  painter.paint(['one', 'two']);
  painter.paint(['ONE', 'second', 'third']);
  expect(screen.text()).toEqual(['ONE', 'second', 'third']);
  painter.paint(['1']);
  expect(screen.text()).toEqual(['1']);
});

it('prints text above the block', () => {
  const screen = openScreen(20);
  const painter = createPainter(screen.terminal);
  painter.paint(['block', 'of two']);
  painter.paint(['block', 'of two'], 'setup: npm ci\n');
  painter.paint(['block', 'of two'], 'more\n');
  expect(screen.text()).toEqual(['setup: npm ci', 'more', 'block', 'of two']);
});

it('handles a terminal that becomes narrower', () => {
  const screen = openScreen(20);
  const painter = createPainter(screen.terminal);
  painter.paint(['a line of 18 chars', 'short'], 'before\n');
  screen.narrow(10);
  painter.paint(['a line of 18 chars', 'short']);
  expect(screen.text()).toEqual(['before', 'a line o…', 'short']);
});

it('is never higher than the terminal', () => {
  const screen = openScreen(20, 4);
  createPainter(screen.terminal).paint(['1', '2', '3', '4', '5']);
  expect(screen.text()).toEqual(['1', '2', '3']);
});

it('hides the cursor, restores it once, and keeps the last frame', () => {
  const screen = openScreen(20);
  const painter = createPainter(screen.terminal);
  painter.paint(['block']);
  expect(screen.isCursorShown()).toBe(false);
  painter.close();
  painter.close();
  painter.paint(['too late'], 'after\n');
  expect(screen.isCursorShown()).toBe(true);
  expect(screen.text()).toEqual(['block', 'after']);
});
