import { closeSync, constants, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { errnoOf } from '../../domain/error/error.js';
import { createTools } from '../index.js';
import { openConfined } from './confined-open.js';

/** A working directory with links to a place outside, which has a secret and must stay as it is. */
function makeSite() {
  const place = tempDir();
  const workingDirectory = join(place, 'work');
  const outside = join(place, 'work-other');
  writeFiles(place, {
    'work/in/file.txt': 'inside\n',
    'work-other/secret.txt': 'secret\n',
  });
  symlinkSync(outside, join(workingDirectory, 'out'));
  symlinkSync(join(outside, 'secret.txt'), join(workingDirectory, 'secret-link'));
  symlinkSync(join(outside, 'not-there-yet'), join(workingDirectory, 'dangling'));
  symlinkSync('in/file.txt', join(workingDirectory, 'inner-link'));
  symlinkSync('loop', join(workingDirectory, 'loop'));
  const unchanged = () => {
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret\n');
  };
  return { workingDirectory, outside, unchanged, tools: createTools({ workingDirectory, confine: true }) };
}

test('no tool reads or writes files outside, by any path', async () => {
  const { tools, outside, workingDirectory, unchanged } = makeSite();
  const ways = [
    '../work-other',
    outside,
    'out',
    'in/../../work-other',
    `${workingDirectory}/out`,
    'in/../out',
  ];
  for (const way of ways) {
    const file = `${way}/secret.txt`;
    for (const result of [
      await tools.read_file.run({ path: file }),
      await tools.write_file.run({ path: file, content: 'changed' }),
      await tools.write_file.run({ path: `${way}/new/file.txt`, content: 'new' }),
      await tools.edit_file.run({ path: file, old_text: 'secret', new_text: 'changed' }),
      await tools.grep.run({ pattern: 'secret', path: way }),
      await tools.glob.run({ pattern: '*', path: way }),
      await tools.bash.run({ command: 'pwd', cwd: way }),
    ]) {
      expect(result.isError, `${way}: ${result.output}`).toBe(true);
      expect(result.output).not.toContain('secret\n');
    }
  }
  unchanged();
});

test('a link that leads out is not followed at the end of a path either', async () => {
  const { tools, unchanged } = makeSite();
  for (const path of ['secret-link', 'dangling', 'loop', 'out']) {
    expect(await tools.read_file.run({ path })).toMatchObject({ isError: true });
    expect(await tools.write_file.run({ path, content: 'x' })).toMatchObject({ isError: true });
  }
  expect((await tools.grep.run({ pattern: 'secret' })).output).toBe('no match');
  expect((await tools.glob.run({ pattern: '**/secret.txt' })).output).toBe('no matching file');
  unchanged();
});

test('everything inside stays accessible: absolute paths, links and new directories', async () => {
  const { tools, workingDirectory } = makeSite();
  const read = async (path: string) => (await tools.read_file.run({ path })).output;
  expect(await read('inner-link')).toBe('inside\n');
  expect(await read(join(workingDirectory, 'in/file.txt'))).toBe('inside\n');
  expect(await tools.write_file.run({ path: 'inner-link', content: 'written\n' })).toMatchObject({
    isError: false,
  });
  expect(await read('in/file.txt')).toBe('written\n');
  expect(await tools.write_file.run({ path: 'a/b/c.txt', content: 'deep' })).toMatchObject({
    isError: false,
  });
  expect(await read('a/b/c.txt')).toBe('deep');
  expect((await tools.glob.run({ pattern: '*.txt' })).output).toBe('a/b/c.txt\nin/file.txt');
});

test('a working directory that is reached through a link is the one that it leads to', async () => {
  const { workingDirectory } = makeSite();
  const alias = join(tempDir(), 'alias');
  symlinkSync(workingDirectory, alias);
  const tools = createTools({ workingDirectory: alias, confine: true });
  expect((await tools.read_file.run({ path: 'in/file.txt' })).output).toBe('inside\n');
  expect((await tools.read_file.run({ path: join(workingDirectory, 'in/file.txt') })).output).toBe(
    'inside\n',
  );
  expect((await tools.grep.run({ pattern: 'inside' })).output).toBe('in/file.txt:1:inside');
});

test.runIf(process.platform === 'linux')(
  'a directory that is swapped for a link while files are opened never leads out',
  async () => {
    const { workingDirectory, unchanged } = makeSite();
    writeFiles(workingDirectory, { 'swap/secret.txt': 'inside\n' });
    renameSync(join(workingDirectory, 'out'), join(workingDirectory, 'link'));
    const swapper = await startSwapper(workingDirectory);
    const tried = { opened: 0, refused: 0 };
    while (tried.opened < 100 || tried.refused < 100) {
      const content = readConfined(workingDirectory, 'swap/secret.txt');
      if (content === undefined) tried.refused++;
      else tried.opened++;
      expect(content ?? 'inside\n').toBe('inside\n');
    }
    await swapper.terminate();
    unchanged();
  },
);

/** Swaps `swap` for the link `link` and back, without end. */
async function startSwapper(directory: string): Promise<Worker> {
  const program = `
    const { renameSync } = require('node:fs');
    const { parentPort, workerData } = require('node:worker_threads');
    const at = name => workerData + '/' + name;
    parentPort.postMessage('begun');
    for (;;) {
      renameSync(at('swap'), at('kept'));
      renameSync(at('link'), at('swap'));
      renameSync(at('swap'), at('link'));
      renameSync(at('kept'), at('swap'));
    }`;
  const worker = new Worker(program, { eval: true, workerData: directory });
  onTestFinished(async () => void (await worker.terminate()));
  await new Promise(begun => worker.once('message', begun));
  return worker;
}

/** Opened so that it would be made, and could be written. */
function readConfined(root: string, path: string): string | undefined {
  const flags = constants.O_RDWR | constants.O_CREAT;
  try {
    const descriptor = openConfined(root, join(root, path), { flags });
    if (descriptor === undefined) return undefined;
    const content = readFileSync(descriptor, 'utf8');
    closeSync(descriptor);
    return content;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
