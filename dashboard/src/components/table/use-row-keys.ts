import { type RefObject, useEffect, useRef } from 'react';
import { isForOthers } from '../../shell/shortcuts.js';

/** j and k move the focus from row to row; Enter then opens the link that has it. */
export function useRowKeys(box: RefObject<HTMLElement | null>, count: number, rowHeight: number): void {
  // A distant row is not rendered: it gets the focus once it is, and further keys count from it.
  const wanted = useRef<number>(undefined);
  const last = useRef<number>(undefined);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const element = box.current;
      const step = STEPS[event.key];
      if (!element || step === undefined || count === 0 || isForOthers(event)) return;
      const current = wanted.current ?? focusedRow(element) ?? last.current;
      const next = current === undefined ? 0 : Math.min(count - 1, Math.max(0, current + step));
      event.preventDefault();
      last.current = next;
      showRow(element, next, rowHeight);
      wanted.current = focusRow(element, next) ? undefined : next;
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [box, count, rowHeight]);

  useEffect(() => {
    if (wanted.current === undefined || !box.current) return;
    if (focusRow(box.current, wanted.current)) wanted.current = undefined;
  });
}

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };

function focusedRow(box: HTMLElement): number | undefined {
  const row = box.contains(document.activeElement) && document.activeElement?.closest('tr[data-row]');
  return row instanceof HTMLElement ? Number(row.dataset.row) : undefined;
}

function showRow(box: HTMLElement, row: number, rowHeight: number): void {
  const head = box.querySelector('thead')?.clientHeight ?? 0;
  const top = row * rowHeight;
  const room = box.clientHeight - head - rowHeight;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top > box.scrollTop + room) box.scrollTop = top - room;
}

function focusRow(box: HTMLElement, row: number): boolean {
  const target = box.querySelector<HTMLElement>(`tr[data-row="${row}"] :is(a, button)`);
  target?.focus({ preventScroll: true });
  return target !== null;
}
