export type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'name';

/** What is coloured of a language: enough to read a change by, not a parser. */
export interface Language {
  /** What a token looks like, tried in this order at each place. Without groups. */
  readonly tokens: readonly (readonly [TokenKind, string])[];
  /** What may go on over several lines. */
  readonly blocks: readonly Block[];
}

export interface Block {
  readonly kind: TokenKind;
  readonly open: string;
  readonly close: string;
}
