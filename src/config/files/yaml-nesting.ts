import { Lexer, Parser } from 'yaml';

/** Our own files need five levels. */
const MOST_LEVELS = 64;

/**
 * The offset at which a text nests deeper than any configuration does. The library composes documents by recursion, and
 * from about a thousand levels V8 aborts the whole process ("RegExpCompiler Allocation failed") instead of throwing, so
 * this check comes first. The parser below the composer keeps its own stack and does not recurse.
 */
export function findDeepNesting(text: string): number | undefined {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    const offset = parser.offset;
    // A generator: it works while it is consumed.
    Array.from(parser.next(lexeme));
    if (parser.stack.length > MOST_LEVELS) return offset;
  }
  return undefined;
}
