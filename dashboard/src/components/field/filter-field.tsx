import type { KeyboardEvent } from 'react';
import { useQuery } from '../../shell/router.js';

/** The words of the filter, kept in the URL as `filter`. */
export function FilterField({ label, found }: { readonly label: string; readonly found: string }) {
  const [query, change] = useQuery();
  const leave = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Escape') return;
    // Chromium would empty it.
    event.preventDefault();
    event.currentTarget.blur();
  };
  return (
    <div className="filter">
      <input
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder="Filter"
        value={query.get('filter') ?? ''}
        onChange={event => change({ filter: event.target.value })}
        onKeyDown={leave}
        spellCheck={false}
        autoComplete="off"
      />
      <span role="status" className="filter-found">
        {found}
      </span>
    </div>
  );
}

/** All words of the filter have to be in one of the texts. */
export function useFilter<T>(rows: readonly T[], textOf: (row: T) => string): readonly T[] {
  const [query] = useQuery();
  const words = (query.get('filter') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(row => {
    const text = textOf(row).toLowerCase();
    return words.every(word => text.includes(word));
  });
}
