import type { Block, Language, TokenKind } from './language.js';

export interface Token {
  /** Null for text without a color. */
  readonly kind: TokenKind | null;
  readonly text: string;
}

export interface TokenizedLine {
  readonly tokens: readonly Token[];
  /** The block that is still open at the end of the line. */
  readonly open: Block | undefined;
}

/** The parts of one line. `open` is the block that the previous line left open. */
export function tokenize(text: string, language: Language, open?: Block | undefined): TokenizedLine {
  const { pattern, groups } = compile(language);
  const tokens: Token[] = [];
  let at = 0;
  let block = open;
  const add = (kind: TokenKind | null, end: number) => {
    if (end > at) tokens.push({ kind, text: text.slice(at, end) });
    at = end;
  };
  while (at < text.length) {
    if (block) {
      const end = findClose(text, block, at);
      add(block.kind, end ?? text.length);
      if (end === undefined) break;
      block = undefined;
      continue;
    }
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) break;
    add(null, match.index);
    const found = groups[match.slice(1).findIndex(part => part !== undefined)];
    if (found && 'close' in found) block = beginBlock(tokens, found, match[0]);
    else tokens.push({ kind: found?.kind ?? null, text: match[0] });
    at = match.index + Math.max(match[0].length, 1);
  }
  add(null, text.length);
  return { tokens, open: block };
}

function beginBlock(tokens: Token[], block: Block, text: string): Block {
  tokens.push({ kind: block.kind, text });
  return block;
}

/** Where the block ends in this line. */
function findClose(text: string, { close }: Block, from: number): number | undefined {
  const pattern = new RegExp(close, 'g');
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? match.index + match[0].length : undefined;
}

interface Compiled {
  readonly pattern: RegExp;
  /** What each group of the pattern stands for. */
  readonly groups: readonly (Block | { readonly kind: TokenKind })[];
}

const compiled = new WeakMap<Language, Compiled>();

/** All of a language as one expression, which finds the next token wherever it is. */
function compile(language: Language): Compiled {
  const known = compiled.get(language);
  if (known) return known;
  const { blocks, tokens } = language;
  const sources = [...blocks.map(({ open }) => open), ...tokens.map(([, source]) => source)];
  const result = {
    pattern: new RegExp(sources.map(source => `(${source})`).join('|'), 'g'),
    groups: [...blocks, ...tokens.map(([kind]) => ({ kind }))],
  };
  compiled.set(language, result);
  return result;
}
