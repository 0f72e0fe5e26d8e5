import type { DiffLine, FileDiff, Hunk } from './file-diff.js';

export type Layout = 'unified' | 'split';

/** A position in a file of the patch. */
interface Place {
  readonly file: FileDiff;
  readonly hunk: Hunk;
}

/** One row of the view; all have the same height, except the head of a file, which takes two rows. */
export type DiffRow =
  | { readonly kind: 'file'; readonly file: FileDiff }
  | { readonly kind: 'below-file' }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'hunk'; readonly header: string }
  | (Place & { readonly kind: 'line'; readonly line: DiffLine })
  | (Place & {
      readonly kind: 'pair';
      readonly left: DiffLine | undefined;
      readonly right: DiffLine | undefined;
    });

/** All rows that can be scrolled to. A closed file has only its head. */
export function layOut(
  files: readonly FileDiff[],
  closed: ReadonlySet<string>,
  layout: Layout,
): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  for (const file of files) {
    rows.push({ kind: 'file', file }, { kind: 'below-file' });
    if (!closed.has(file.path)) addContent(rows, file, layout);
  }
  return rows;
}

function addContent(rows: DiffRow[], file: FileDiff, layout: Layout): void {
  if (file.hunks.length === 0) rows.push({ kind: 'message', text: messageOf(file) });
  for (const hunk of file.hunks) {
    rows.push({ kind: 'hunk', header: hunk.header });
    const place = { file, hunk };
    if (layout === 'split') addPairs(rows, place);
    else for (const line of hunk.lines) rows.push({ kind: 'line', ...place, line });
  }
}

function messageOf({ isBinary, change, modes }: FileDiff): string {
  if (isBinary) return 'Binary file.';
  if (change === 'renamed' || change === 'copied') return 'The content is unchanged.';
  return modes ? 'Only the mode has changed.' : 'Empty file.';
}

/** Removed lines next to the lines that replaced them. */
function addPairs(rows: DiffRow[], place: Place): void {
  const { lines } = place.hunk;
  let at = 0;
  while (at < lines.length) {
    const removed = takeWhile(lines, at, 'removed');
    const added = takeWhile(lines, at + removed.length, 'added');
    const count = Math.max(removed.length, added.length);
    for (let index = 0; index < count; index++)
      rows.push({ kind: 'pair', ...place, left: removed[index], right: added[index] });
    at += removed.length + added.length;
    const line = lines[at];
    if (count > 0 || !line) continue;
    rows.push({ kind: 'pair', ...place, left: line, right: line });
    at += 1;
  }
}

function takeWhile(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): readonly DiffLine[] {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return lines.slice(from, end);
}

/** Characters of the longest line, so that the box keeps its width while it scrolls. */
export function longestLine(files: readonly FileDiff[]): number {
  let longest = 0;
  for (const { hunks } of files)
    for (const { lines } of hunks) for (const { text } of lines) longest = Math.max(longest, text.length);
  return longest;
}
