import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { createTools } from './index.js';
import { resolvePath } from './resolve-path.js';

test.each([
  ['src/main.ts', '/tmp/pool/wt-3/src/main.ts'],
  ['./src/main.ts', '/tmp/pool/wt-3/src/main.ts'],
  ['output.txt', '/tmp/pool/wt-3/output.txt'],
  ['.', '/tmp/pool/wt-3'],
  ['src/../output.txt', '/tmp/pool/wt-3/output.txt'],
  ['../wt-4/output.txt', '/tmp/pool/wt-4/output.txt'],
  ['~/output.txt', '/tmp/pool/wt-3/~/output.txt'],
  ['/etc/hosts', '/etc/hosts'],
  ['/tmp/pool/wt-4/src/main.ts', '/tmp/pool/wt-4/src/main.ts'],
])('%s is %s in /tmp/pool/wt-3', (path, resolved) => {
  expect(resolvePath('/tmp/pool/wt-3', path)).toBe(resolved);
});

// The table of every tool: what it makes of a relative path, and of an absolute one elsewhere.
test('every tool resolves relative paths against the working directory and leaves absolute ones alone', async () => {
  const workingDirectory = tempDir();
  const elsewhere = tempDir();
  for (const [root, word] of [
    [workingDirectory, 'here'],
    [elsewhere, 'there'],
  ] as const)
    writeFiles(root, { 'src/main.ts': `${word}\n`, 'edit.txt': 'old\n' });
  const tools = createTools({ workingDirectory });
  const ask = async (name: keyof typeof tools, input: object) => (await tools[name].run(input)).output;

  expect(await ask('bash', { command: 'pwd' })).toBe(`${workingDirectory}\n`);
  expect(await ask('bash', { command: 'pwd', cwd: 'src' })).toBe(`${workingDirectory}/src\n`);
  expect(await ask('bash', { command: 'pwd', cwd: elsewhere })).toBe(`${elsewhere}\n`);
  expect(await ask('read_file', { path: 'src/main.ts' })).toBe('here\n');
  expect(await ask('read_file', { path: join(elsewhere, 'src/main.ts') })).toBe('there\n');
  expect(await ask('grep', { pattern: 'here', path: '.' })).toBe('src/main.ts:1:here');
  expect(await ask('grep', { pattern: 'there', path: elsewhere })).toBe(`${elsewhere}/src/main.ts:1:there`);
  expect(await ask('glob', { pattern: '*.ts', path: '.' })).toBe('src/main.ts');
  expect(await ask('glob', { pattern: '*.ts', path: elsewhere })).toBe(`${elsewhere}/src/main.ts`);

  await ask('write_file', { path: 'output.txt', content: 'relative' });
  await ask('write_file', { path: join(elsewhere, 'new/output.txt'), content: 'absolute' });
  await ask('edit_file', { path: 'edit.txt', old_text: 'old', new_text: 'relative' });
  await ask('edit_file', { path: join(elsewhere, 'edit.txt'), old_text: 'old', new_text: 'absolute' });
  expect(readFileSync(join(workingDirectory, 'output.txt'), 'utf8')).toBe('relative');
  expect(readFileSync(join(elsewhere, 'new/output.txt'), 'utf8')).toBe('absolute');
  expect(existsSync(join(elsewhere, 'output.txt'))).toBe(false);
  expect(readFileSync(join(workingDirectory, 'edit.txt'), 'utf8')).toBe('relative\n');
  expect(readFileSync(join(elsewhere, 'edit.txt'), 'utf8')).toBe('absolute\n');
});

test('without a working directory it is that of the process', async () => {
  expect((await createTools().bash.run({ command: 'pwd' })).output).toBe(`${process.cwd()}\n`);
});
