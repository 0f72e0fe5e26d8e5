import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRunning } from '../../test/helpers/machine/processes.js';
import { writeFiles } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { waitForPid } from '../../test/helpers/wait-for.js';
import { needProgram } from '../../test/parts/required-part.js';
import { createTools } from './index.js';
import { TOOL_NAMES } from './tool.js';

const FILES = {
  'src/main.ts': 'export const one = 1;\nexport const two = 2;\n',
  'src/deep/other.ts': 'import { one } from "../main.js";\n',
  'notes.md': 'One of them.\n',
  '.git/config': 'one\n',
  'node_modules/one/index.js': 'one\n',
  'picture.bin': Buffer.from([0x6f, 0x6e, 0x65, 0, 1]),
};

function makeTools(options: Parameters<typeof createTools>[0] = {}) {
  const workingDirectory = tempDir();
  writeFiles(workingDirectory, FILES);
  return { workingDirectory, tools: createTools({ workingDirectory, ...options }) };
}

test('each tool has a name, a description and a JSON Schema that model APIs accept', () => {
  const { tools } = makeTools();
  expect(Object.keys(tools)).toEqual([...TOOL_NAMES]);
  for (const [name, tool] of Object.entries(tools)) {
    expect(tool.name).toBe(name);
    expect(tool.description.length).toBeGreaterThan(40);
    expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
  expect(tools.read_file.inputSchema).toMatchObject({
    required: ['path'],
    properties: { path: { type: 'string' }, offset: { type: 'integer' } },
  });
});

test('invalid input is reported to the model', async () => {
  const { tools } = makeTools();
  for (const input of [undefined, {}, { path: 1 }, { path: 'a\0b' }, { path: 'a', more: true }])
    expect(await tools.read_file.run(input)).toMatchObject({
      isError: true,
      output: expect.stringContaining('invalid input'),
    });
});

test('a file is read in parts that give the next offset', async () => {
  const { tools, workingDirectory } = makeTools({ limits: { outputBytes: 1000 } });
  writeFiles(workingDirectory, { long: Array.from({ length: 300 }, (_, i) => `line ${i + 1}\n`).join('') });
  const first = (await tools.read_file.run({ path: 'long' })).output;
  expect(first).toMatch(/^line 1\n[\s\S]*\[lines 1 to (\d+) of 300; continue with offset \d+\]$/);
  const next = Number(/offset (\d+)/.exec(first)?.[1]);
  expect((await tools.read_file.run({ path: 'long', offset: next, limit: 1 })).output).toBe(
    `line ${next}\n[lines ${next} to ${next} of 300; continue with offset ${next + 1}]`,
  );
  expect((await tools.read_file.run({ path: 'long', offset: 300 })).output).toBe('line 300\n');
  expect(await tools.read_file.run({ path: 'long', offset: 301 })).toMatchObject({ isError: true });
});

test('binary, missing and too large files are not read', async () => {
  const { tools } = makeTools({ limits: { fileBytes: 20 } });
  const read = async (path: string) => (await tools.read_file.run({ path })).output;
  expect(await read('picture.bin')).toBe('picture.bin: it is not text');
  expect(await read('src')).toBe('src: it is a directory');
  expect(await read('nowhere')).toBe('nowhere: no such file or directory');
  expect(await read('src/main.ts')).toMatch(/^src\/main.ts: it is too large: 44 B; expected at most 20 B$/);
  await tools.bash.run({ command: 'mkfifo pipe' });
  expect(await read('pipe')).toBe('pipe: it is not a regular file');
});

test('an edit replaces unique text and keeps the permissions', async () => {
  const { tools, workingDirectory } = makeTools();
  const edit = (old_text: string, new_text: string) =>
    tools.edit_file.run({ path: 'src/main.ts', old_text, new_text });
  await tools.bash.run({ command: 'chmod 755 src/main.ts' });
  expect(await edit('const one = 1', 'const $& = 10')).toMatchObject({ isError: false });
  const path = join(workingDirectory, 'src/main.ts');
  expect(readFileSync(path, 'utf8')).toBe('export const $& = 10;\nexport const two = 2;\n');
  expect(statSync(path).mode & 0o777).toBe(0o755);
  expect((await edit('export', 'x')).output).toMatch(/got 2 matches; include more surrounding text/);
  expect((await edit('const one', 'x')).output).toMatch(/got 0 matches; read the file/);
});

test('grep gives paths, line numbers and lines, without binary files, .git and node_modules', async () => {
  const { tools } = makeTools();
  const grep = async (input: object) => (await tools.grep.run(input)).output;
  expect(await grep({ pattern: '\\bone\\b' })).toBe(
    'src/deep/other.ts:1:import { one } from "../main.js";\nsrc/main.ts:1:export const one = 1;',
  );
  expect(await grep({ pattern: 'one', ignore_case: true, glob: '*.md' })).toBe('notes.md:1:One of them.');
  expect(await grep({ pattern: 'one', path: 'node_modules' })).toBe('node_modules/one/index.js:1:one');
  expect(await grep({ pattern: 'const', path: 'src/main.ts' })).toMatch(
    /^src\/main.ts:1:.*\nsrc\/main.ts:2:/,
  );
  expect(await grep({ pattern: 'nothing like it' })).toBe('no match');
  expect(await tools.grep.run({ pattern: '(' })).toMatchObject({ isError: true });
});

test('gives up on an expression that would take forever, and reports that there are more lines', async () => {
  const { tools, workingDirectory } = makeTools({ limits: { searchMs: 300 } });
  writeFiles(workingDirectory, { bad: `${'a'.repeat(60)}!\n` });
  expect((await tools.grep.run({ pattern: '^(a+)+$' })).output).toMatch(/the time limit was reached/);
  const { tools: narrow } = makeTools({ limits: { matches: 1 } });
  expect((await narrow.grep.run({ pattern: 'const', path: 'src' })).output).toMatch(/more than 1 lines/);
});

test('glob lists sorted paths that can be read again', async () => {
  const { tools } = makeTools();
  const glob = async (input: object) => (await tools.glob.run(input)).output;
  expect(await glob({ pattern: '*.ts' })).toBe('src/deep/other.ts\nsrc/main.ts');
  expect(await glob({ pattern: 'src/*.ts' })).toBe('src/main.ts');
  expect(await glob({ pattern: '**/*.{md,ts}' })).toBe('notes.md\nsrc/deep/other.ts\nsrc/main.ts');
  expect(await glob({ pattern: '*.ts', path: 'src/deep' })).toBe('src/deep/other.ts');
  expect(await glob({ pattern: '*.rs' })).toBe('no matching file');
});

test('returns some of too many files and paths, and reports it', async () => {
  const { tools } = makeTools({ limits: { matches: 1 } });
  expect((await tools.glob.run({ pattern: '*.ts' })).output).toBe(
    'src/deep/other.ts\n[1 more; use a narrower pattern]',
  );
  const { tools: hasty } = makeTools({ limits: { files: 1 } });
  expect((await hasty.glob.run({ pattern: '*' })).output).toMatch(/not all files were searched/);
});

test('a command result has the exit status and the combined output, truncated in the middle', async () => {
  const { tools } = makeTools({ limits: { outputBytes: 100 } });
  expect(await tools.bash.run({ command: 'echo out; echo err >&2; exit 3' })).toEqual({
    output: 'out\nerr\n[exit status 3]',
    isError: true,
  });
  const { output } = await tools.bash.run({ command: 'echo begin; seq 100000; echo end' });
  expect(output).toMatch(/^begin\n[\s\S]*\[\d+ bytes left out\][\s\S]*end\n$/);
  expect(output.length).toBeLessThan(200);
});

test('a command that takes too long is killed with all its processes', async () => {
  needProgram('setsid');
  const { tools, workingDirectory } = makeTools();
  const command = 'sleep 1000 & echo $! > pid; setsid sleep 1000 & echo $! > other; wait';
  const { output, isError } = await tools.bash.run({ command, timeout_seconds: 1 });
  expect([output, isError]).toEqual(['[killed after its time limit of 1s]', true]);
  for (const file of ['pid', 'other'])
    expect(isRunning(await waitForPid(join(workingDirectory, file)))).toBe(false);
});

test('background processes of a command are killed', async () => {
  needProgram('setsid');
  const { tools, workingDirectory } = makeTools();
  await tools.bash.run({ command: 'setsid sleep 1000 >/dev/null 2>&1 & echo $! > pid' });
  expect(isRunning(await waitForPid(join(workingDirectory, 'pid')))).toBe(false);
});

test('an abort stops running tools, and afterwards every tool rejects', async () => {
  const abort = new AbortController();
  const { tools, workingDirectory } = makeTools({ signal: abort.signal });
  const running = tools.bash.run({ command: 'echo $$ > pid; sleep 1000' });
  const rejects = expect(running).rejects.toThrow('enough');
  const pid = await waitForPid(join(workingDirectory, 'pid'));
  abort.abort(new Error('enough'));
  await rejects;
  expect(isRunning(pid)).toBe(false);
  await expect(tools.write_file.run({ path: 'late', content: '' })).rejects.toThrow('enough');
  expect(existsSync(join(workingDirectory, 'late'))).toBe(false);
});

test('commands get only the given variables', async () => {
  const { tools } = makeTools({ environment: { PATH: process.env.PATH, SAID: 'yes' } });
  expect((await tools.bash.run({ command: 'echo "$SAID $VITEST"' })).output).toBe('yes \n');
});

test('links are listed and read, but not followed', async () => {
  const { tools, workingDirectory } = makeTools();
  mkdirSync(join(workingDirectory, 'links'));
  symlinkSync('..', join(workingDirectory, 'links/up'));
  symlinkSync('../notes.md', join(workingDirectory, 'links/notes'));
  expect((await tools.glob.run({ pattern: 'links/**' })).output).toBe('links/notes\nlinks/up');
  expect((await tools.read_file.run({ path: 'links/notes' })).output).toBe('One of them.\n');
});
