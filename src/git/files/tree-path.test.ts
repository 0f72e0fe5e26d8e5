import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapePath, isPlainPath, unescapePath } from './tree-path.js';

test('names that git refuses or treats specially are escaped', () => {
  expect(escapePath('a/.git/config')).toBe('a/%2egit/config');
  expect(escapePath('.GIT')).toBe('%2eGIT');
  expect(escapePath('git~1/x')).toBe('%67it~1/x');
  expect(escapePath('.gitmodules')).toBe('%2egitmodules');
  expect(escapePath('%2egit/100%')).toBe('%252egit/100%25');
  expect(escapePath('plain/.env')).toBe('plain/.env');
});

test('every path survives escaping, and git accepts the escaped form', () => {
  const odd = fc.constantFrom(
    '.git',
    '.GiT',
    'git~1',
    '.git ',
    '.git.',
    '%',
    '%2e',
    '.g\xe2\x80\x8cit',
    'a',
    '\n',
    '\xff',
  );
  const name = fc.array(odd, { minLength: 1, maxLength: 3 }).map(parts => parts.join(''));
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), names => {
      const path = names.join('/');
      expect(unescapePath(escapePath(path))).toBe(path);
      expect(isPlainPath(escapePath(path))).toBe(true);
    }),
  );
});

test.each(['.git', 'a/.Git/b', '.git.', '.git ', '.git::$INDEX_ALLOCATION', 'git~1', '.g\xe2\x80\x8cit'])(
  '%j is escaped in a tree',
  path => expect(isPlainPath(path)).toBe(false),
);

test.each(['.gitignore', '.gitmodules', 'git', 'a.git', '.git2', 'legit~1'])(
  '%j is not escaped in a tree',
  path => expect(isPlainPath(path)).toBe(true),
);
