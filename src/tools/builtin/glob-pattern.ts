// Backtracks only to the last star, so that no pattern takes long.

/**
 * Whether a path with `/` matches a pattern: `*` and `?` within a name, `[a-z]`, `[!a]`, `{one,two}`, and `**` for any number
 * of directories. A pattern without `/`, such as `*.ts`, matches only the name. Names that start with a dot are not special.
 */
export function createGlob(pattern: string): (path: string) => boolean {
  const alternatives = expandBraces(pattern).map(parsePattern);
  return path => {
    const names = path.split('/');
    return alternatives.some(parts => fitsStarred(names, parts, fitsName));
  };
}

type Character = (character: string) => boolean;
const STAR = 'star';
type Starred<T> = T | typeof STAR;
type NamePattern = readonly Starred<Character>[];

/** Beyond it, braces are literal. */
const MOST_ALTERNATIVES = 256;

function expandBraces(pattern: string): string[] {
  let expanded = [pattern];
  for (;;) {
    const next = expanded.flatMap(expandFirst);
    if (next.length === expanded.length || next.length > MOST_ALTERNATIVES) return expanded;
    expanded = next;
  }
}

/** The innermost first, because braces may be nested. */
function expandFirst(pattern: string): string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (!found?.[1]) return [pattern];
  const before = pattern.slice(0, found.index);
  const after = pattern.slice(found.index + found[0].length);
  return found[1].split(',').map(choice => `${before}${choice}${after}`);
}

function parsePattern(pattern: string): Starred<NamePattern>[] {
  const plain = pattern.replace(/^\.\//, '');
  const names = plain.split('/').map(name => (name === '**' ? STAR : parseName(name)));
  return plain.includes('/') ? names : [STAR, ...names];
}

function parseName(name: string): NamePattern {
  const parts = name.match(/\[!?\]?[^\]]*\]|\*+|./gsu) ?? [];
  return parts.map(part => {
    if (part.startsWith('*')) return STAR;
    if (part === '?') return () => true;
    if (part.length > 2 && part.startsWith('[')) return parseClass(part.slice(1, -1));
    return character => character === part;
  });
}

function parseClass(text: string): Character {
  const isNegated = text.startsWith('!');
  const ranges = (isNegated ? text.slice(1) : text).match(/.-.|./gsu) ?? [];
  const fits: Character = character =>
    ranges.some(range => {
      const [first = '', , last = first] = [...range];
      return character >= first && character <= last;
    });
  return character => fits(character) !== isNegated;
}

const fitsName = (name: string, pattern: NamePattern): boolean =>
  fitsStarred([...name], pattern, (character, fits) => fits(character));

function fitsStarred<Value, Part>(
  values: readonly Value[],
  parts: readonly Starred<Part>[],
  fits: (value: Value, part: Part) => boolean,
): boolean {
  let at = 0;
  let star: { readonly part: number; value: number } | undefined;
  let value = 0;
  while (value < values.length) {
    const part = parts[at];
    if (part === STAR) star = { part: at++, value };
    else if (part !== undefined && fits(values[value] as Value, part as Part)) {
      at++;
      value++;
    } else if (star) {
      at = star.part + 1;
      value = ++star.value;
    } else return false;
  }
  return parts.slice(at).every(part => part === STAR);
}
