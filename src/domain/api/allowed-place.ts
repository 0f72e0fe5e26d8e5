/** Where a server may take repositories from: a directory, or a URL prefix. */
export type AllowedPlace =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

/** Undefined when no repository can be fetched from it, such as `http://host` or `helper::address`. */
export function parseAllowedPlace(text: string): AllowedPlace | undefined {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme !== undefined) return parseUrl(scheme.toLowerCase(), text);
  if (/^[^/]*::/.test(text)) return undefined;
  return SHORT_SSH.test(text) ? { kind: 'url', url: text } : { kind: 'directory', path: text };
}

/** `git@host:` and `host:team`, as git reads them; a directory with such a name is written `./host:team`. */
const SHORT_SSH = /^(\w[\w.-]*@)?[a-z0-9][a-z0-9.-]*:/i;

function parseUrl(scheme: string, text: string): AllowedPlace | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, pathname, password } = new URL(text);
  if (scheme === 'file') return hostname === '' ? { kind: 'directory', path: decode(pathname) } : undefined;
  const isFetched = scheme === 'https' || scheme === 'ssh';
  return isFetched && hostname !== '' && password === '' ? { kind: 'url', url: text } : undefined;
}

function decode(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
