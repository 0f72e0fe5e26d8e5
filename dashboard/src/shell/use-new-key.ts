import { useEffect } from 'react';
import { isForOthers } from './shortcuts.js';

/** The key n starts a new item. */
export function useNewKey(begin: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'n' || isForOthers(event)) return;
      event.preventDefault();
      begin();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [begin]);
}
