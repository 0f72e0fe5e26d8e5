const MOST_BYTES = 1024;
const MOST_NAMES = 12;

/**
 * Whether an untrusted path may be used inside one of Carrel's directories: relative, with names that are text without
 * control characters and do not lead out of it.
 */
export function isPlainPath(path: string): boolean {
  const names = path.split('/');
  return Buffer.byteLength(path) <= MOST_BYTES && names.length <= MOST_NAMES && names.every(isPlainName);
}

/** U+FFFD replaces bytes that are not UTF-8: two such names would become one. */
const isPlainName = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  Buffer.byteLength(name) <= 200 &&
  !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\\uFFFD]/u.test(name);
