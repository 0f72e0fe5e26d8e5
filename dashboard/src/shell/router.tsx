import { parse } from 'regexparam';
import { matchRoute, useSearchParams } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';

export { Link } from 'wouter';
export { navigate } from 'wouter/use-browser-location';

export const usePath = (): string => usePathname();

/** The query parameters. Changing them adds no history entry; an empty value is removed. */
export function useQuery(): readonly [URLSearchParams, (changes: Readonly<Record<string, string>>) => void] {
  const [query, setQuery] = useSearchParams();
  const change = (changes: Readonly<Record<string, string>>) =>
    setQuery(present => withChanges(present, changes), { replace: true });
  return [query, change];
}

function withChanges(present: URLSearchParams, changes: Readonly<Record<string, string>>): URLSearchParams {
  const query = new URLSearchParams(present);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  return query;
}

/**
 * The parameters of a path such as /workspaces/:id; undefined when it is another path. Decoded after the path is split,
 * unlike in the library's own routes: the name of a task may contain a slash.
 */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [isMatch, parameters] = matchRoute<Record<string, string>>(parse, pattern, path);
  if (!isMatch) return undefined;
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decode(value)]));
}

/** A typed path may contain a lone percent sign. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
