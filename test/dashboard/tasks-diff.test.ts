import { chmodSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parsePatch } from '../../dashboard/src/components/diff/parse-patch.js';
import { findLanguage } from '../../dashboard/src/components/diff/syntax/languages.js';
import { tokenize } from '../../dashboard/src/components/diff/syntax/tokenize.js';
import { plainText, visibleText } from '../../dashboard/src/components/text/visible-text.js';
import { diffArguments } from '../../src/git/diff/diff-arguments.js';
import { git, makeRepository, writeFiles } from '../helpers/repository.js';

test('a git patch is parsed file by file, with any file names and contents', () => {
  const quoted = 'odd "name"\t with ümlaut.txt';
  const repository = makeRepository({
    'plain b/file.txt': 'one\ntwo\n',
    [quoted]: 'old\n',
    'moved.txt': 'stays\nas\nit\nis\n',
    'script.sh': 'true\n',
    'gone.txt': 'diff --git a/x b/x\n--- a/x\n+++ b/x\n',
  });
  const at = (name: string) => join(repository, name);
  writeFiles(repository, { 'plain b/file.txt': 'one\n-- 2\n++ 3', [quoted]: 'new\r\n', 'empty.txt': '' });
  writeFiles(repository, { 'picture.bin': '\0\x01\x02' });
  renameSync(at('moved.txt'), at('sub moved.txt'));
  chmodSync(at('script.sh'), 0o755);
  rmSync(at('gone.txt'));
  git(repository, 'add', '--all');
  const patch = `${git(repository, 'diff', '--cached', ...diffArguments('patch'))}\n`;
  const files = parsePatch(patch).map(({ hunks, ...file }) => ({
    ...file,
    lines: hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`)),
  }));
  const same = {
    oldPath: null,
    change: 'changed',
    modes: null,
    isBinary: false,
    added: 0,
    removed: 0,
    lines: [],
  };
  const noEnd = 'note  No newline at end of file';
  expect(files.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { ...same, path: 'empty.txt', change: 'added' },
    {
      ...same,
      path: 'gone.txt',
      change: 'deleted',
      removed: 3,
      lines: ['removed diff --git a/x b/x', 'removed --- a/x', 'removed +++ b/x'],
    },
    { ...same, path: quoted, added: 1, removed: 1, lines: ['removed old', 'added new'] },
    { ...same, path: 'picture.bin', change: 'added', isBinary: true },
    {
      ...same,
      path: 'plain b/file.txt',
      added: 2,
      removed: 1,
      lines: ['context one', 'removed two', 'added -- 2', 'added ++ 3', noEnd],
    },
    { ...same, path: 'script.sh', modes: { before: '100644', after: '100755' } },
    { ...same, path: 'sub moved.txt', oldPath: 'moved.txt', change: 'renamed' },
  ]);
});

function colours(path: string, ...lines: string[]): string[] {
  const language = findLanguage(path);
  if (!language) return [];
  let open: ReturnType<typeof tokenize>['open'];
  return lines.flatMap(line => {
    const { tokens, open: left } = tokenize(line, language, open);
    open = left;
    expect(tokens.map(({ text }) => text).join('')).toBe(line);
    return tokens.filter(({ kind }) => kind !== null).map(({ kind, text }) => `${kind} ${text}`);
  });
}

test('the file name decides the language, and multi-line tokens are colored as a whole', () => {
  expect(colours('a.ts', "const x = f('a // b', 0x1F) /* un", 'til */ ? `new', 'x` : typeof y')).toEqual([
    'keyword const',
    'name f',
    "string 'a // b'",
    'number 0x1F',
    'comment /*',
    'comment  un',
    'comment til */',
    'string `',
    'string new',
    'string x`',
    'keyword typeof',
  ]);
  expect(colours('b.py', 'def f(): # why', '    """text', 'def', '"""')).toEqual([
    'keyword def',
    'name f',
    'comment # why',
    'string """',
    'string text',
    'string def',
    'string """',
  ]);
  expect(colours('c.json', '{ "key": "value", "n": -1.5e3, "b": true }')).toEqual([
    'name "key"',
    'string "value"',
    'name "n"',
    'number -1.5e3',
    'name "b"',
    'keyword true',
  ]);
  expect(colours('d.yaml', 'key: "v" # why')).toEqual(['name key', 'string "v"', 'comment # why']);
  expect(colours('e.sh', 'if [ $# -gt 1 ]; then # why')).toEqual([
    'keyword if',
    'number 1',
    'keyword then',
    'comment # why',
  ]);
  expect(colours('f.rs', "fn f<'a>(c: char) { 'x' }")).toEqual(['keyword fn', "string 'x'"]);
  expect(colours('g.unknown', 'if')).toEqual([]);
});

test('terminal control sequences are removed from a log and made visible in a diff', () => {
  expect(plainText('\x1b[1;31mred\x1b[0m \x1b]0;title\x07bell\x07 \x1b]8;;http://x\x1b\\link')).toBe(
    'red bell link',
  );
  expect(plainText('10 %\r50 %\r100 %\r')).toBe('100 %');
  expect(plainText('safe\u202egnp.exe')).toBe('safegnp.exe');
  expect(visibleText('a\u202eb\x1b[0m\tc')).toBe('a⟨202E⟩b␛[0m\tc');
  expect(visibleText('x'.repeat(5_000))).toBe(`${'x'.repeat(2_000)} … 3000 more characters`);
});
