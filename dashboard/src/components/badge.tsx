import type { ReactNode } from 'react';

export type Tone = 'neutral' | 'accent' | 'good' | 'warning' | 'bad';

/** A word with a colour; the word alone says all. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return <span className={`badge ${tone}`}>{children}</span>;
}
