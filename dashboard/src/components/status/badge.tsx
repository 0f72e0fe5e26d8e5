import type { ReactNode } from 'react';

export type Tone = 'neutral' | 'accent' | 'good' | 'warning' | 'bad';

/** A word with a color; the word alone is sufficient. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return <span className={`badge ${tone}`}>{children}</span>;
}
