import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { sourceStack } from './source-stack.js';

test('frames of a bundle with a map show the source line, and others stay unchanged', () => {
  const bundle = join(tempDir(), 'a bundle (1).js');
  // Column 10 of the first line is from the third line of the source, column 20 from no source.
  const map = { version: 3, sources: ['../src/cli/ls.ts'], names: [], mappings: 'UAEA,U;' };
  writeFileSync(`${bundle}.map`, JSON.stringify(map));
  expect(
    sourceStack(
      errorWith(
        `at list (${bundle}:1:12)`,
        `at async ${pathToFileURL(bundle)}:1:11`,
        `at parse (${bundle}:1:30)`,
        'at other (/nowhere/other.js:1:12)',
        'at node:internal/main:1:1',
      ),
    ),
  ).toBe(
    errorWith(
      'at list (src/cli/ls.ts:3)',
      'at async src/cli/ls.ts:3',
      `at parse (${bundle}:1:30)`,
      'at other (/nowhere/other.js:1:12)',
      'at node:internal/main:1:1',
    ).stack,
  );
});

test('an error without a stack is its message', () => {
  expect(sourceStack(Object.assign(new Error('broken'), { stack: undefined }))).toBe('broken');
});

function errorWith(...frames: string[]): Error {
  return Object.assign(new Error('broken'), {
    stack: ['Error: broken', ...frames.map(frame => `    ${frame}`)].join('\n'),
  });
}
