import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { currentTarget, familySync } from './native-target.js';

const requireOfLibsql = createRequire(createRequire(import.meta.url).resolve('libsql'));

test('finds the same native package as the programs that it stands in for', () => {
  expect(currentTarget()).toBe(requireOfLibsql('@neon-rs/load').currentTarget());
});

test('finds the same C library as the program that it stands in for', () => {
  expect(familySync()).toBe(requireOfLibsql('detect-libc').familySync());
});
