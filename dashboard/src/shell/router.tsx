import { type AnchorHTMLAttributes, type MouseEvent, useMemo, useSyncExternalStore } from 'react';

/** The address of the page as the history API has it. */
const CHANGED = 'carrel:address';

export function navigate(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  window.dispatchEvent(new Event(CHANGED));
}

export function usePath(): string {
  return useSyncExternalStore(listen, () => location.pathname);
}

/** The words after the question mark. A change of them is no new step in the history. */
export function useQuery(): readonly [URLSearchParams, (changes: Readonly<Record<string, string>>) => void] {
  const search = useSyncExternalStore(listen, () => location.search);
  const query = useMemo(() => new URLSearchParams(search), [search]);
  return [query, changeQuery];
}

/** An empty word is taken out. */
function changeQuery(changes: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  navigate(location.pathname + (query.size === 0 ? '' : `?${query}`), { replace: true });
}

function listen(onChange: () => void): () => void {
  window.addEventListener('popstate', onChange);
  window.addEventListener(CHANGED, onChange);
  return () => {
    window.removeEventListener('popstate', onChange);
    window.removeEventListener(CHANGED, onChange);
  };
}

/** A link to another page of the dashboard, which opens without loading the dashboard again. */
export function Link({ href, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string }) {
  const open = (event: MouseEvent) => {
    const isForBrowser =
      event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
    if (isForBrowser) return;
    event.preventDefault();
    navigate(href);
  };
  return <a {...rest} href={href} onClick={open} />;
}

/** The parameters of a path such as /workspaces/:id; undefined when it is another path. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/');
  const given = path.replace(/\/+$/, '').split('/');
  if (path === '/') given.push('');
  if (wanted.length !== Math.max(given.length, 2)) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = decode(given[index] ?? '');
    if (part.startsWith(':')) parameters[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return parameters;
}

/** A path that was typed may hold a lone percent sign. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
