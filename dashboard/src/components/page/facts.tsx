import type { ReactNode } from 'react';
import { namedText } from '../text/named-text.js';

/** Names with values, as a list. A value that is undefined is left out. */
export function Facts({ of }: { readonly of: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {of
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{namedText(value)}</dd>
          </div>
        ))}
    </dl>
  );
}
