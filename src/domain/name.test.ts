import { execFileSync } from 'node:child_process';
import { basename, join, normalize } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCarrelError } from './error.js';
import { generateName, requireName, sanitizeForFolder } from './name.js';

const isAccepted = (name: string): boolean => {
  try {
    return requireName(name) === name;
  } catch (error) {
    if (isCarrelError(error, 'INVALID_NAME')) return false;
    throw error;
  }
};

test.each([
  'a',
  'A1',
  'feat/ui',
  'fix-typo-001',
  'v1.2.3',
  'a_b',
  'x'.repeat(100),
  'a/b/c',
  'main',
  'HEAD',
  'lock',
])('%s is a name', name => {
  expect(requireName(name)).toBe(name);
});

test.each([
  ['', 'it is empty'],
  ['../x', 'it does not begin with a letter or digit'],
  ['a/../../x', 'it has ".."'],
  ['-rf', 'it does not begin with a letter or digit'],
  ['a/-rf', 'a part begins with "." or "-"'],
  ['.lock', 'it does not begin with a letter or digit'],
  ['a.lock', 'a part ends with ".lock"'],
  ['a.LOCK/b', 'a part ends with ".lock"'],
  ['a//b', 'it has an empty part between slashes'],
  ['a/', 'it has an empty part between slashes'],
  ['/a', 'it does not begin with a letter or digit'],
  ['a/.b', 'a part begins with "." or "-"'],
  ['a.', 'a part ends with "." or "-"'],
  ['caf\u00e9', 'it has the character "é"'],
  ['cafe\u0301', 'it has the character "\u0301"'],
  ['\u0430bc', 'it does not begin with a letter or digit'],
  ['a😀', 'it has the character "😀"'],
  ['x'.repeat(300), 'it has 300 characters, 100 are allowed'],
  ['a\nb', 'it has the character "\\n"'],
  ['a\n', 'it has the character "\\n"'],
  ['a\0b', 'it has the character "\\u0000"'],
  ['a b', 'it has the character " "'],
  ['a~1', 'it has the character "~"'],
  ['a:b', 'it has the character ":"'],
  ['a@{1}', 'it has the character "@"'],
  ['a\\b', 'it has the character "\\\\"'],
  ['ws_0123', 'names beginning with ws_, snap_ or task_ are kept for ids'],
])('%j is refused', (name, reason) => {
  expect(() => requireName(name)).toThrow(
    expect.objectContaining({ code: 'INVALID_NAME', details: { name, reason } }),
  );
});

/** Texts made of what makes names dangerous. */
const oddName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc
    .array(
      fc.constantFrom(
        'a',
        'B',
        '7',
        '.',
        '..',
        '/',
        '-',
        '_',
        '.lock',
        '@{',
        '\\',
        '~',
        '^',
        ' ',
        '\n',
        '\0',
        'é',
        'e\u0301',
        'ﬁ',
      ),
      {
        maxLength: 12,
      },
    )
    .map(parts => parts.join('')),
);

test('an accepted name stays in its directory, can not be a flag and has one spelling', () => {
  fc.assert(
    fc.property(oddName, name => {
      fc.pre(isAccepted(name));
      expect(normalize(join('/root', name))).toBe(`/root/${name}`);
      expect(name).toMatch(/^[A-Za-z0-9][\x21-\x7e]*$/);
      expect(name.normalize('NFKD')).toBe(name);
    }),
    { numRuns: 300 },
  );
});

test('git takes every accepted name as a branch', () => {
  const names = fc.sample(oddName, 4000).filter(isAccepted).slice(0, 40);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const printed = execFileSync('git', ['check-ref-format', '--branch', `carrel/${name}`], {
      encoding: 'utf8',
    });
    expect(printed).toBe(`carrel/${name}\n`);
  }
});

test('whatever the text, its folder is one visible part of a path', () => {
  fc.assert(
    fc.property(oddName, name => {
      const folder = sanitizeForFolder(name);
      expect(basename(folder)).toBe(folder);
      expect(folder).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/);
    }),
    { numRuns: 2000 },
  );
});

test('slashes become dashes in a folder', () => {
  expect(sanitizeForFolder('feat/ui')).toBe('feat-ui');
  expect(sanitizeForFolder('..')).toBe('workspace');
});

test('a generated name is accepted, whatever chance says', () => {
  for (const share of [0, 0.5, 0.999]) {
    const name = generateName({ now: () => 0, random: limit => Math.floor(limit * share) });
    expect(requireName(name)).toMatch(/^[a-z]+-[a-z]+-\d{4}$/);
  }
});
