import { execFileSync } from 'node:child_process';
import { basename, join, normalize } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCarrelError } from './error/error.js';
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
])('%s is a valid name', name => {
  expect(requireName(name)).toBe(name);
});

test.each([
  ['', 'it is empty'],
  ['../x', 'it does not start with a letter or digit'],
  ['a/../../x', 'it has ".."'],
  ['-rf', 'it does not start with a letter or digit'],
  ['a/-rf', 'a part starts with "." or "-"'],
  ['.lock', 'it does not start with a letter or digit'],
  ['a.lock', 'a part ends with ".lock"'],
  ['a.LOCK/b', 'a part ends with ".lock"'],
  ['a//b', 'it contains an empty part between slashes'],
  ['a/', 'it contains an empty part between slashes'],
  ['/a', 'it does not start with a letter or digit'],
  ['a/.b', 'a part starts with "." or "-"'],
  ['a.', 'a part ends with "." or "-"'],
  ['caf\u00e9', 'it contains the character "é"'],
  ['cafe\u0301', 'it contains the character "\u0301"'],
  ['\u0430bc', 'it does not start with a letter or digit'],
  ['a😀', 'it contains the character "😀"'],
  ['x'.repeat(300), 'it has 300 characters; at most 100 are allowed'],
  ['a\nb', 'it contains the character "\\n"'],
  ['a\n', 'it contains the character "\\n"'],
  ['a\0b', 'it contains the character "\\u0000"'],
  ['a b', 'it contains the character " "'],
  ['a~1', 'it contains the character "~"'],
  ['a:b', 'it contains the character ":"'],
  ['a@{1}', 'it contains the character "@"'],
  ['a\\b', 'it contains the character "\\\\"'],
  ['ws_0123', 'names that start with ws_, snap_ or task_ are reserved for ids'],
])('%j is refused', (name, reason) => {
  expect(() => requireName(name)).toThrow(
    expect.objectContaining({ code: 'INVALID_NAME', details: { name, reason } }),
  );
});

/** Texts made of the characters that make names dangerous. */
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

test('an accepted name stays in its directory, cannot be a flag and has one spelling', () => {
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

test('git accepts every accepted name as a branch', () => {
  const names = fc.sample(oddName, 4000).filter(isAccepted).slice(0, 40);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const printed = execFileSync('git', ['check-ref-format', '--branch', `carrel/${name}`], {
      encoding: 'utf8',
    });
    expect(printed).toBe(`carrel/${name}\n`);
  }
});

test('the folder of any text is a single visible path component', () => {
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

test('every generated name is accepted', () => {
  for (const share of [0, 0.5, 0.999]) {
    const name = generateName({ now: () => 0, random: limit => Math.floor(limit * share) });
    expect(requireName(name)).toMatch(/^[a-z]+-[a-z]+-\d{4}$/);
  }
});
