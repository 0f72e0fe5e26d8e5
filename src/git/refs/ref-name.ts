/**
 * Whether git accepts this as the full name of a ref: the rules of git-check-ref-format(1), without a process. Syntax only;
 * whether the name can be stored is another question.
 */
export function isRefName(name: string): boolean {
  const parts = name.split('/');
  return (
    parts.length > 1 &&
    parts.every(part => part !== '' && !part.startsWith('.') && !part.endsWith('.lock')) &&
    !name.endsWith('.') &&
    !FORBIDDEN.test(name)
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches forbidden characters.
const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{/;
