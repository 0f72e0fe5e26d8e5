import { carrelError } from './error/error.js';
import type { IdSource } from './id.js';

const MOST_CHARACTERS = 100;

/**
 * A name becomes part of a branch and of a directory, so only what both accept everywhere is valid: ASCII only, because
 * Unicode names that look the same are different files on some systems and the same file on others.
 */
export function requireName(name: string): string {
  const reason = findNameProblem(name);
  if (reason) throw carrelError('INVALID_NAME', { name, reason });
  return name;
}

function findNameProblem(name: string): string | undefined {
  if (name.length === 0) return 'it is empty';
  if (name.length > MOST_CHARACTERS)
    return `it has ${name.length} characters; at most ${MOST_CHARACTERS} are allowed`;
  if (!/^[A-Za-z0-9]/.test(name)) return 'it does not start with a letter or digit';
  const odd = /[^A-Za-z0-9._/-]/u.exec(name)?.[0];
  if (odd) return `it contains the character ${JSON.stringify(odd)}`;
  if (/^(ws|snap|task)_/.test(name)) return 'names that start with ws_, snap_ or task_ are reserved for ids';
  if (name.includes('..')) return 'it has ".."';
  return name.split('/').map(findPartProblem).find(Boolean);
}

function findPartProblem(part: string): string | undefined {
  if (part === '') return 'it contains an empty part between slashes';
  if (part.startsWith('.') || part.startsWith('-')) return 'a part starts with "." or "-"';
  if (part.endsWith('.') || part.endsWith('-')) return 'a part ends with "." or "-"';
  if (part.toLowerCase().endsWith('.lock')) return 'a part ends with ".lock"';
  return undefined;
}

/** `feat/ui` as a folder name: `feat-ui`. Different names may give the same folder; the path is made unique later. */
export function sanitizeForFolder(name: string): string {
  const folder = name
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, MOST_CHARACTERS);
  return folder || 'workspace';
}

const QUALITIES = [
  'amber',
  'brisk',
  'calm',
  'clear',
  'eager',
  'gentle',
  'keen',
  'lucid',
  'quiet',
  'steady',
  'swift',
  'vivid',
];
const THINGS = [
  'atlas',
  'desk',
  'folio',
  'ink',
  'lamp',
  'ledger',
  'page',
  'quill',
  'scroll',
  'shelf',
  'spine',
  'vellum',
];

/** A generated name, such as `quiet-folio-4821`. */
export function generateName(source: IdSource): string {
  const pick = (words: readonly string[]) => words[source.random(words.length)] as string;
  return `${pick(QUALITIES)}-${pick(THINGS)}-${1000 + source.random(9000)}`;
}
