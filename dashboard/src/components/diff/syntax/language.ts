export type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'name';

/** The tokens of a language that are colored: enough to read a change, not a parser. */
export interface Language {
  /** What a token looks like, tried in this order at each place. Without groups. */
  readonly tokens: readonly (readonly [TokenKind, string])[];
  /** Tokens that may span several lines. */
  readonly blocks: readonly Block[];
}

export interface Block {
  readonly kind: TokenKind;
  readonly open: string;
  readonly close: string;
}
