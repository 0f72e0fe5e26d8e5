import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BranchPrefixSchema, IncludePatternSchema } from './template.js';

test.each(['', 'carrel/', 'me/agents/', 'agent-', 'a_', 'x'])(
  '%j is a branch prefix that git accepts',
  prefix => {
    expect(BranchPrefixSchema.safeParse(prefix).success).toBe(true);
  },
);

test.each(['/', '-', '../', 'a//', 'a.lock/', '.a/', 'a-/', 'a b/', 'a~', 'é/', 'a\n', 'refs\\'])(
  '%j is not a branch prefix',
  prefix => {
    expect(BranchPrefixSchema.safeParse(prefix).success).toBe(false);
  },
);

test('git accepts every accepted prefix before a name', () => {
  const text = fc.array(fc.constantFrom('a', 'B', '7', '/', '-', '_', '.', '..', '@', '~', ' '), {
    maxLength: 8,
  });
  const prefixes = fc
    .sample(text, 2000)
    .map(parts => parts.join(''))
    .filter(prefix => BranchPrefixSchema.safeParse(prefix).success);
  const some = [...new Set(prefixes)].slice(0, 40);
  expect(some.length).toBeGreaterThan(10);
  for (const prefix of some) {
    const printed = execFileSync('git', ['check-ref-format', '--branch', `${prefix}name`], {
      encoding: 'utf8',
    });
    expect(printed).toBe(`${prefix}name\n`);
  }
});

test.each(['.env*', '/config/*.key', '**/secrets', '!.env.example', '...'])('%j is a pattern', pattern => {
  expect(IncludePatternSchema.safeParse(pattern).success).toBe(true);
});

test.each(['', '..', '../x', 'a/../../x', '/../x', 'a\nb', 'a\0b'])('%j is refused as a pattern', pattern => {
  expect(IncludePatternSchema.safeParse(pattern).success).toBe(false);
});
