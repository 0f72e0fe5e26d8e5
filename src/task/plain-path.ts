const MOST_BYTES = 1024;
const MOST_NAMES = 12;

/**
 * Whether a path that somebody else chose may be used below a directory of ours: relative, of names that are text without
 * control characters and lead nowhere else.
 */
export function isPlainPath(path: string): boolean {
  const names = path.split('/');
  return Buffer.byteLength(path) <= MOST_BYTES && names.length <= MOST_NAMES && names.every(isPlainName);
}

/** U+FFFD stands for bytes that were no UTF-8: two such names would become one. */
const isPlainName = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  Buffer.byteLength(name) <= 200 &&
  !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\\uFFFD]/u.test(name);
