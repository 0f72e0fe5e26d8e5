import { type RefObject, useEffect, useState } from 'react';

/** Rows from `first` up to, without, `end`. */
export interface VisibleRows {
  readonly first: number;
  readonly end: number;
}

/** Rows beyond the edges, so that scrolling shows no gap before the next paint. */
const MARGIN = 12;

/** Which rows of equal height are visible in a scrolling box: only those are rendered. */
export function useVisibleRows(
  box: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): VisibleRows {
  const [seen, setSeen] = useState<VisibleRows>({ first: 0, end: 3 * MARGIN });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      const now = rowsIn(element, rowHeight);
      setSeen(before => (before.first === now.first && before.end === now.end ? before : now));
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [box, rowHeight]);
  const end = Math.min(seen.end, count);
  return { first: Math.min(seen.first, Math.max(0, end - MARGIN)), end };
}

/** In steps of the margin, so that most movements change nothing. */
function rowsIn(element: HTMLElement, rowHeight: number): VisibleRows {
  const top = Math.floor(element.scrollTop / rowHeight / MARGIN) * MARGIN;
  const room = Math.ceil(element.clientHeight / rowHeight / MARGIN) * MARGIN;
  return { first: Math.max(0, top - MARGIN), end: top + room + 2 * MARGIN };
}
