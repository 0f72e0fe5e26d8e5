import type { ReactNode } from 'react';
import { namedText } from '../text/named-text.js';

/** The heading of a page, and its actions. */
export function PageHead({
  title,
  note,
  children,
}: {
  readonly title: ReactNode;
  readonly note?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className="page-head">
      <div>
        <h1>{namedText(title)}</h1>
        {note && <p className="page-note">{note}</p>}
      </div>
      {children && <div className="page-actions">{children}</div>}
    </div>
  );
}
