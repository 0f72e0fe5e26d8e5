import { Lexer, Parser } from 'yaml';

/** Our own files need five levels. */
const MOST_LEVELS = 64;

/**
 * Where a text nests deeper than any configuration does. The library composes documents by recursion, and from about
 * a thousand levels on V8 ends the whole process ("RegExpCompiler Allocation failed") instead of throwing, so this
 * must be known before. The parser below the composer keeps a stack of its own and does not recurse.
 */
export function findDeepNesting(text: string): number | undefined {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    const offset = parser.offset;
    // A generator: it does its work while it is read.
    Array.from(parser.next(lexeme));
    if (parser.stack.length > MOST_LEVELS) return offset;
  }
  return undefined;
}
