import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRefName } from './ref-name.js';

const gitTakes = (name: string) => spawnSync('git', ['check-ref-format', name]).status === 0;

test.each([
  'refs/heads/main',
  'refs/heads/@',
  'refs/heads/-x',
  'refs/heads/a.lock/b',
  'refs/heads/a.lock',
  'refs/heads/a.lockx',
  'refs/heads/.a',
  'refs/heads/a.',
  'refs/heads/a./b',
  'refs/heads/a..b',
  'refs/heads/a@{b',
  'refs/heads/a{b',
  'refs/heads/a//b',
  'refs/heads/a/',
  'refs/heads/',
  '/refs/heads/a',
  'main',
  'refs/heads/é\u00a0\u2028',
  'refs/heads/a\x7f',
  'refs/heads/a\tb',
])('%j is valid exactly when git accepts it', name => {
  expect(isRefName(name)).toBe(gitTakes(name));
});

test('any name is valid exactly when git accepts it', () => {
  const piece = fc.constantFrom(...'ab./~^:?*[\\@{} -\u0001é', '.lock', '..', '@{');
  const name = fc.array(piece, { maxLength: 8 }).map(pieces => `refs/heads/${pieces.join('')}`);
  fc.assert(
    fc.property(name, text => isRefName(text) === gitTakes(text)),
    { numRuns: 100 },
  );
});
