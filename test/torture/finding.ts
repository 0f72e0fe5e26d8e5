/** What kind of promise was broken. */
export type FindingKind = 'loss' | 'user' | 'answer' | 'refusal' | 'leftover' | 'repository';

/** A promise of Carrel's that did not hold, in plain words. */
export class Finding extends Error {
  constructor(
    readonly kind: FindingKind,
    message: string,
  ) {
    super(message);
    this.name = 'Finding';
  }
}

/** Fails unless there is nothing to say. */
export function requireNone(kind: FindingKind, what: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const shown = lines.slice(0, MOST_LINES).map(line => `\n  ${line}`);
  const more = lines.length > MOST_LINES ? `\n  and ${lines.length - MOST_LINES} more` : '';
  throw new Finding(kind, `${what}:${shown.join('')}${more}`);
}

const MOST_LINES = 12;
