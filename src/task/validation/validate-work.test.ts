import { rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { makeWorkspaceSite } from '../../../test/helpers/workspace/workspace-site.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import type { Expectation } from '../../domain/workflow/validation.js';
import { openEnvironment } from '../../operations/command/workspace-environment.js';
import { findPattern } from '../../operations/task/find-pattern.js';
import { validateWork } from './validate-work.js';

const FILES = { 'src/a.ts': 'const a = 1;\nconst b = 2; // TODO\n', 'README.md': 'Grüße\n' };

test('checks every expectation, and reports why each one fails', async () => {
  const { app, record } = await makeWorkspaceSite('worktree', FILES);
  const path = 'src/a.ts';
  const expectations: Expectation[] = [
    { kind: 'build', run: 'test -f README.md', name: 'the build' },
    { kind: 'tests', run: 'echo out; echo err >&2; exit 2' },
    { kind: 'command', run: 'sleep 600', timeout: '200ms' },
    { kind: 'file-exists', path },
    { kind: 'file-exists', path: 'src/gone.ts' },
    { kind: 'file-exists', path: './src/' },
    { kind: 'file-contains', path, text: '1;\nconst' },
    { kind: 'file-contains', path, text: 'a = 2' },
    { kind: 'file-contains', path: 'README.md', pattern: '^Gr\\p{L}ße$' },
    { kind: 'file-contains', path, pattern: '1;\\s+const' },
    { kind: 'file-not-contains', path, text: 'FIXME' },
    { kind: 'file-not-contains', path, pattern: '\\bTODO\\b' },
    { kind: 'file-not-contains', path, text: 'TODO' },
    { kind: 'file-not-contains', path: 'src/gone.ts', text: 'TODO' },
  ];
  const results = await validateWork(app, record, expectations, {});
  expect(results.map(({ name, passed, detail }) => [passed, name, detail])).toEqual([
    [true, 'the build', null],
    [
      false,
      'echo out; echo err >&2; exit 2',
      expect.stringMatching(/^It exited with status 2.\n(out\nerr|err\nout)$/),
    ],
    [false, 'sleep 600', 'It did not finish within 200ms.'],
    [true, 'src/a.ts exists', null],
    [false, 'src/gone.ts exists', 'it does not exist'],
    [false, './src/ exists', 'it is a directory'],
    [true, 'src/a.ts contains "1;\\nconst"', null],
    [false, 'src/a.ts contains "a = 2"', 'it is not in the file'],
    [true, 'README.md contains /^Gr\\p{L}ße$/', null],
    [false, 'src/a.ts contains /1;\\s+const/', 'it is not in the file'],
    [true, 'src/a.ts does not contain "FIXME"', null],
    [false, 'src/a.ts does not contain /\\bTODO\\b/', 'it is on line 2'],
    [false, 'src/a.ts does not contain "TODO"', 'it is on line 2'],
    [false, 'src/gone.ts does not contain "TODO"', 'it does not exist'],
  ]);
  expect(results.map(result => result.kind)).toEqual(expectations.map(expectation => expectation.kind));
});

test('a link is followed within the workspace and never out of it, and a huge file is not read', async () => {
  const { app, record } = await makeWorkspaceSite('worktree', FILES);
  const outside = tempDir();
  writeFileSync(join(outside, 'secret'), 'secret');
  symlinkSync('src', join(record.path, 'inner'));
  symlinkSync(outside, join(record.path, 'outer'));
  symlinkSync('loop', join(record.path, 'loop'));
  writeFileSync(join(record.path, 'huge'), '');
  truncateSync(join(record.path, 'huge'), 16 * 1024 ** 2 + 1);
  const contains = (path: string): Expectation => ({ kind: 'file-contains', path, text: 'secret' });
  const results = await validateWork(
    app,
    record,
    [
      { kind: 'file-contains', path: 'inner/a.ts', text: 'const a' },
      contains('outer/secret'),
      { kind: 'file-exists', path: 'outer/secret' },
      contains('loop'),
      contains('huge'),
      contains('README.md/x'),
    ],
    {},
  );
  expect(results.map(({ detail }) => detail)).toEqual([
    null,
    'it leads out of the workspace',
    'it leads out of the workspace',
    'it is a link to itself',
    'it is too large: 16 MB; expected at most 16 MB',
    'it does not exist',
  ]);
});

test('in a sandbox the commands run inside, and it checks the files that the sandbox sees', async context => {
  requireBubblewrap(context);
  const { app, record } = await makeWorkspaceSite('full', FILES);
  const script =
    'echo made inside > made.txt; ln -s /home/agent/secret link; echo secret > /home/agent/secret';
  expect((await openEnvironment(app, record).run({ command: ['sh', '-c', script] })).exitCode).toBe(0);
  const results = await validateWork(
    app,
    record,
    [
      { kind: 'tests', run: 'test "$HOME" = /home/agent && test "$(cat made.txt)" = "made inside"' },
      { kind: 'file-contains', path: 'made.txt', text: 'inside' },
      { kind: 'file-contains', path: 'link', text: 'secret' },
    ],
    {},
  );
  expect(results.map(({ passed }) => passed)).toEqual([true, true, false]);
});

test('a cancel stops the validation, and a missing workspace fails it', async () => {
  const { app, record } = await makeWorkspaceSite('worktree', FILES);
  const controller = new AbortController();
  const expectations: Expectation[] = [
    { kind: 'file-exists', path: 'README.md' },
    { kind: 'tests', run: 'echo started; sleep 600' },
    { kind: 'command', run: 'true' },
  ];
  const options = { signal: controller.signal, onLine: () => controller.abort() };
  const results = await validateWork(app, record, expectations, options);
  expect(results.map(({ kind }) => kind)).toEqual(['file-exists']);
  rmSync(record.path, { recursive: true });
  const gone = await validateWork(app, record, expectations, {});
  expect(gone.map(({ passed, detail }) => [passed, detail])).toEqual([
    [false, 'it does not exist'],
    [false, expect.stringMatching(/^It could not run: /)],
    [false, expect.stringMatching(/^It could not run: /)],
  ]);
});

test('a pattern that would take years is given up', async () => {
  const text = `${'a'.repeat(60)}!`;
  expect(await findPattern(text, '^(a+)+$', undefined, 300)).toBe('gave-up');
  expect(await findPattern(`b\r\n${text}\r\n`, 'a!$')).toBe(2);
});
