import type { BytePath } from '../../../git/byte-path.js';

/** What a patch does to one file. */
export interface PatchSection {
  /** Text in the patch, one character per byte. */
  readonly text: string;
  /** The old name; the same as `to` unless the file is renamed or copied. */
  readonly from: BytePath;
  readonly to: BytePath;
  readonly action: 'create' | 'delete' | 'rename' | 'copy' | 'change';
}

/**
 * The files of a patch made by git, or of a plain one. A line that starts with `diff --git ` cannot be content, which
 * is always marked by its first character, nor a part of a name, where line breaks are quoted. Lines end with `\n` alone
 * (the flag `m` would let them end with `\r` as well): otherwise content could look like another file's changes.
 */
export function splitPatch(patch: Buffer): PatchSection[] {
  const text = patch.toString('latin1');
  const sections = text.split(/(?<![^\n])(?=diff --git )/).filter(part => part.startsWith('diff --git '));
  return sections.length > 0 ? sections.map(readSection) : splitPlain(text);
}

/** Without git's headers: patches written by hand or by `diff -u`. */
function splitPlain(text: string): PatchSection[] {
  return text.split(/(?<![^\n])(?=--- [^\n]*\n\+\+\+ [^\n]*\n@@ -)/).flatMap(part => {
    const [, before, after] = /^--- ([^\t\n]*)[^\n]*\n\+\+\+ ([^\t\n]*)/.exec(part) ?? [];
    if (before === undefined || after === undefined) return [];
    const action = before === '/dev/null' ? 'create' : after === '/dev/null' ? 'delete' : 'change';
    const [from, to] = [withoutPrefix(unquote(before)), withoutPrefix(unquote(after))];
    return [
      { text: part, action, from: action === 'create' ? to : from, to: action === 'delete' ? from : to },
    ];
  });
}

function readSection(text: string): PatchSection {
  const [first = '', ...headers] = headerLines(text);
  const named = (key: string) => headers.find(line => line.startsWith(key))?.slice(key.length);
  const both = readBothNames(first.slice('diff --git '.length));
  const from = named('rename from ') ?? named('copy from ');
  const to = named('rename to ') ?? named('copy to ');
  return {
    text,
    from: from === undefined ? both.from : unquote(from),
    to: to === undefined ? both.to : unquote(to),
    action: readAction(headers),
  };
}

/** Up to the first hunk. */
function headerLines(text: string): string[] {
  const end = text.search(/\n(@@ |GIT binary patch\n|Binary files )/);
  return text.slice(0, end === -1 ? undefined : end).split('\n');
}

const ACTIONS = [
  ['new file mode ', 'create'],
  ['deleted file mode ', 'delete'],
  ['rename from ', 'rename'],
  ['copy from ', 'copy'],
] as const;

function readAction(headers: readonly string[]): PatchSection['action'] {
  const found = ACTIONS.find(([key]) => headers.some(line => line.startsWith(key)));
  return found?.[1] ?? 'change';
}

/** `a/NAME b/NAME`, where a name may have spaces, or both in quotes. For a rename the other headers have the names. */
function readBothNames(text: string): { readonly from: BytePath; readonly to: BytePath } {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text);
  const half = (text.length - 1) / 2;
  const [from, to] =
    quoted?.[1] !== undefined && quoted[2] !== undefined
      ? [quoted[1], quoted[2]]
      : [text.slice(0, half), text.slice(half + 1)];
  return { from: withoutPrefix(unquote(from)), to: withoutPrefix(unquote(to)) };
}

const withoutPrefix = (path: string): string => path.slice(path.indexOf('/') + 1);

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

/** C-style quotes, which git uses for names with special bytes. */
function unquote(name: string): BytePath {
  if (!name.startsWith('"')) return name;
  return name
    .slice(1, -1)
    .replaceAll(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, letter: string) =>
      octal === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
    );
}
