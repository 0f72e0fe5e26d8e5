import { carrelError } from '../../domain/error.js';

/** What a request may name as a repository, once its shape is known to be harmless. */
export type NamedRepository =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'file-url'; readonly path: string }
  | {
      readonly kind: 'url';
      readonly protocol: 'https' | 'ssh';
      /** As git is given it. Two that mean the same are the same but for what only the host knows. */
      readonly url: string;
    };

/**
 * Reads a path or url from outside. REPOSITORY_NOT_ALLOWED for all that git could take for an option or a helper to run,
 * for credentials, and for what could mean another place than it seems to.
 */
export function parseRepository(text: string): NamedRepository {
  if (/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text)) throw refuse(text, 'it has control characters');
  if (text.startsWith('/')) return { kind: 'directory', path: requirePlainPath(text, text) };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return parseUrl(text);
  const short = SHORT_SSH.exec(text);
  if (short) return parseUrl(`ssh://${short[1] ?? ''}${short[2]}/${short[3]}`, text);
  throw refuse(text, 'expected an absolute path, or a url with https, ssh or file');
}

/** `git@host:path`, as git takes it; not `helper::address`, which runs a program. */
const SHORT_SSH = /^([\w][\w.-]*@)?([a-z0-9][a-z0-9.-]*):(?!:)\/?([^/-].*)$/i;

const HOST = /^([a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])$/i;
const USER = /^\w[\w.-]*$/;

function parseUrl(text: string, sent = text): NamedRepository {
  if (!URL.canParse(text)) throw refuse(sent, 'it is no url');
  const { protocol, username, password, hostname, port, pathname, search, hash } = new URL(text);
  // What is sent is repeated in answers and logs: one with a password is not.
  if (password !== '')
    throw refuse('a url with a password', 'credentials belong to git on the machine of the server');
  if (search !== '' || hash !== '') throw refuse(sent, 'a query or fragment is not taken');
  const path = requirePlainPath(decode(pathname, sent), sent);
  // The standard takes `a/../b` together; git and servers need not.
  requirePlainPath(decode(text, sent), sent);
  if (protocol === 'file:' && hostname === '') return { kind: 'file-url', path };
  if (protocol !== 'https:' && protocol !== 'ssh:') throw refuse(sent, 'only https, ssh and file are taken');
  if (!HOST.test(hostname)) throw refuse(sent, 'its host is no name or address');
  if (username !== '' && (protocol === 'https:' || !USER.test(username)))
    throw refuse(sent, 'credentials belong to git on the machine of the server');
  const user = username === '' ? '' : `${username}@`;
  const place = `${user}${hostname.toLowerCase()}${port && `:${port}`}${pathname}`;
  return { kind: 'url', protocol: protocol === 'ssh:' ? 'ssh' : 'https', url: `${protocol}//${place}` };
}

/** One way to read it: no way up, no part that is an option to whoever splits it off. */
function requirePlainPath(path: string, sent: string): string {
  const parts = path.split(/[/\\]/);
  if (parts.includes('..')) throw refuse(sent, 'it goes up with ..');
  if (parts.some(part => part.startsWith('-'))) throw refuse(sent, 'a part of it begins with a dash');
  if (/\p{Cc}/u.test(path)) throw refuse(sent, 'it has control characters');
  return path;
}

function decode(text: string, sent: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse(sent, 'it is not encoded as urls are');
  }
}

const refuse = (repository: string, reason: string): Error =>
  carrelError('REPOSITORY_NOT_ALLOWED', { repository, reason });
