import { carrelError } from '../../../domain/error/error.js';

/** A repository in a request, after parsing. */
export type NamedRepository =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'file-url'; readonly path: string }
  | {
      readonly kind: 'url';
      readonly protocol: 'https' | 'ssh';
      /** As passed to git. Equivalent URLs are equal, except where only the host knows. */
      readonly url: string;
    };

/**
 * Parses an untrusted path or URL. REPOSITORY_NOT_ALLOWED for anything that git could read as an option or a helper, for
 * credentials, and for paths that are misleading.
 */
export function parseRepository(text: string): NamedRepository {
  if (/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text)) throw refuse(text, 'it has control characters');
  if (text.startsWith('/')) return { kind: 'directory', path: requirePlainPath(text, text) };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return parseUrl(text);
  const short = SHORT_SSH.exec(text);
  if (short) return parseUrl(`ssh://${short[1] ?? ''}${short[2]}/${short[3]}`, text);
  throw refuse(text, 'expected an absolute path, or an https, ssh or file URL');
}

/** `git@host:path`, as git accepts it; not `helper::address`, which runs a program. */
const SHORT_SSH = /^([\w][\w.-]*@)?([a-z0-9][a-z0-9.-]*):(?!:)\/?([^/-].*)$/i;

const HOST = /^([a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])$/i;
const USER = /^\w[\w.-]*$/;

function parseUrl(text: string, sent = text): NamedRepository {
  if (!URL.canParse(text)) throw refuse(sent, 'it is not a URL');
  const { protocol, username, password, hostname, port, pathname, search, hash } = new URL(text);
  // Answers and logs repeat the text, but not with a password.
  if (password !== '')
    throw refuse('a URL with a password', "configure git credentials on the server's machine");
  if (search !== '' || hash !== '') throw refuse(sent, 'a query or fragment is not allowed');
  const path = requirePlainPath(decode(pathname, sent), sent);
  // The URL standard resolves `a/../b`; git and servers may not.
  requirePlainPath(decode(text, sent), sent);
  if (protocol === 'file:' && hostname === '') return { kind: 'file-url', path };
  if (protocol !== 'https:' && protocol !== 'ssh:')
    throw refuse(sent, 'only https, ssh and file are allowed');
  if (!HOST.test(hostname)) throw refuse(sent, 'its host is not a name or address');
  if (username !== '' && (protocol === 'https:' || !USER.test(username)))
    throw refuse(sent, "configure git credentials on the server's machine");
  const user = username === '' ? '' : `${username}@`;
  const place = `${user}${hostname.toLowerCase()}${port && `:${port}`}${pathname}`;
  return { kind: 'url', protocol: protocol === 'ssh:' ? 'ssh' : 'https', url: `${protocol}//${place}` };
}

/** Unambiguous: no `..`, and no part that a program could read as an option. */
function requirePlainPath(path: string, sent: string): string {
  const parts = path.split(/[/\\]/);
  if (parts.includes('..')) throw refuse(sent, 'it contains ..');
  if (parts.some(part => part.startsWith('-'))) throw refuse(sent, 'a part of it begins with a dash');
  if (/\p{Cc}/u.test(path)) throw refuse(sent, 'it has control characters');
  return path;
}

function decode(text: string, sent: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse(sent, 'its URL encoding is invalid');
  }
}

const refuse = (repository: string, reason: string): Error =>
  carrelError('REPOSITORY_NOT_ALLOWED', { repository, reason });
