import { expect, it } from 'vitest';
import { toWorkspaceName } from './worktree-name.js';

it('keeps a valid workspace name', () => {
  expect(['fox', 'feat/login', 'a_b.c'].map(toWorkspaceName)).toEqual(['fox', 'feat/login', 'a_b.c']);
});

it('makes a valid name of any text, and different names of different texts', () => {
  const long = 'x'.repeat(5000);
  const ways = [
    '../../etc/passwd',
    '/etc',
    'a/../b',
    '..',
    '....',
    '-rf',
    'a.lock',
    'ws_0000',
    'a\0b',
    'x\ny',
  ];
  const words = ['bright fox', 'bright  fox', 'bright-fox', '日本', '한국', '\ud800', long, `${long}y`];
  const names = [...ways, ...words].map(toWorkspaceName);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter(name => !/^[A-Za-z0-9-]{1,100}$/.test(name))).toEqual([]);
  expect(toWorkspaceName('bright fox')).toMatch(/^bright-fox-[0-9a-f]{8}$/);
});
