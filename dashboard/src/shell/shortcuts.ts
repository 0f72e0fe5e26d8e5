import { useEffect } from 'react';
import { PAGES } from './pages.js';
import { navigate } from './router.js';

/** How long after g the second key may follow. */
const PAIR_MS = 1_500;

/** Keys that work on every page. Those of a table are in the table. */
export function useShortcuts({ showKeys }: { readonly showKeys: () => void }): void {
  useEffect(() => {
    let pairUntil = 0;
    const press = (event: KeyboardEvent) => {
      if (isForOthers(event)) return;
      const isSecond = event.timeStamp < pairUntil;
      pairUntil = event.key === 'g' && !isSecond ? event.timeStamp + PAIR_MS : 0;
      if (isSecond) goTo(event);
      else if (event.key === '/') focusFilter(event);
      else if (event.key === '?') showKeys();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [showKeys]);
}

/** Typed text, browser shortcuts, and keys in an open dialog. */
export function isForOthers(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const target = event.target instanceof HTMLElement ? event.target : undefined;
  const isTyping = target?.matches('input:not([type=checkbox], [type=radio]), textarea, select') ?? false;
  return isTyping || document.querySelector('dialog[open]') !== null;
}

function goTo(event: KeyboardEvent): void {
  const page = PAGES.find(({ menu }) => menu?.key === event.key);
  if (!page) return;
  event.preventDefault();
  navigate(page.path);
}

function focusFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLInputElement>('input[type=search]');
  if (!filter) return;
  event.preventDefault();
  filter.focus();
  filter.select();
}
