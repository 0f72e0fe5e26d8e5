import { visibleText } from '../text/visible-text.js';
import type { DiffLine, Hunk } from './file-diff.js';

export interface ReadHunk extends Hunk {
  readonly added: number;
  readonly removed: number;
  /** The line after it. */
  readonly next: number;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;
const KINDS = { ' ': 'context', '+': 'added', '-': 'removed', '\\': 'note' } as const;

/**
 * A hunk, when one begins here. It is as long as its header says: a file may hold lines that look like the beginning of
 * another one.
 */
export function readHunk(lines: readonly string[], start: number): ReadHunk | undefined {
  const match = HEADER.exec(lines[start] ?? '');
  if (!match) return undefined;
  const numbers = { old: Number(match[1]), new: Number(match[3]) };
  const oldEnd = numbers.old + Number(match[2] ?? 1);
  const newEnd = numbers.new + Number(match[4] ?? 1);
  const read: DiffLine[] = [];
  let at = start + 1;
  for (; at < lines.length; at++) {
    const text = lines[at] ?? '';
    const kind = KINDS[(text[0] ?? ' ') as keyof typeof KINDS];
    const isOver = numbers.old >= oldEnd && numbers.new >= newEnd;
    if (kind === undefined || (isOver && kind !== 'note')) break;
    read.push(countLine(kind, visibleText(text.slice(1).replace(/\r$/, '')), numbers));
  }
  const count = (kind: DiffLine['kind']) => read.filter(line => line.kind === kind).length;
  const header = lines[start] ?? '';
  return { header, lines: read, added: count('added'), removed: count('removed'), next: at };
}

function countLine(kind: DiffLine['kind'], text: string, numbers: { old: number; new: number }): DiffLine {
  const isOld = kind === 'context' || kind === 'removed';
  const isNew = kind === 'context' || kind === 'added';
  return {
    kind,
    text,
    oldNumber: isOld ? numbers.old++ : null,
    newNumber: isNew ? numbers.new++ : null,
  };
}
