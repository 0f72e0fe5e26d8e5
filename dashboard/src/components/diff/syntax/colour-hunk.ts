import type { DiffLine, Hunk } from '../file-diff.js';
import type { Block, Language } from './language.js';
import { type Token, tokenize } from './tokenize.js';

/** Longer hunks are not colored; this size took 0.17 s on two shared cores. */
const MOST_CHARACTERS = 1_000_000;

const coloured = new WeakMap<Hunk, ReadonlyMap<DiffLine, readonly Token[]>>();

/** The tokens of a line, for which its whole hunk is read once; undefined without colors. */
export function tokensOf(line: DiffLine, hunk: Hunk, language: Language): readonly Token[] | undefined {
  let tokens = coloured.get(hunk);
  if (!tokens) {
    tokens = isTooLong(hunk) ? new Map() : colourHunk(hunk, language);
    coloured.set(hunk, tokens);
  }
  return tokens.get(line);
}

const isTooLong = ({ lines }: Hunk): boolean =>
  lines.reduce((total, { text }) => total + text.length, 0) > MOST_CHARACTERS;

/** The file before and the file after are two texts: a comment may be open in only one of them. */
function colourHunk(hunk: Hunk, language: Language): ReadonlyMap<DiffLine, readonly Token[]> {
  const tokens = new Map<DiffLine, readonly Token[]>();
  let before: Block | undefined;
  let after: Block | undefined;
  for (const line of hunk.lines) {
    if (line.kind === 'note') continue;
    const result = tokenize(line.text, language, line.kind === 'removed' ? before : after);
    tokens.set(line, result.tokens);
    if (line.kind === 'removed') before = result.open;
    else after = result.open;
    if (line.kind === 'context') before = result.open;
  }
  return tokens;
}
