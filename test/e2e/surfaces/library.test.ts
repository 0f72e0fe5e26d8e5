import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createCarrel } from '../../helpers/carrel.js';
import { bundle } from '../../helpers/machine/bundle.js';
import { readExample } from '../../helpers/readme.js';
import { commitFiles, makeRepository } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';

// Carrel as a library: the build, used by a separate program.

const LIBRARY = pathToFileURL(resolve('dist/index.js')).href;
const ADVANCED = pathToFileURL(resolve('dist/advanced.js')).href;

test('the example of the README runs as it is written', async () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const program = await compile(readExample('ts').replace("'carrel'", JSON.stringify(LIBRARY)));
  const { status, stderr } = spawnSync(process.execPath, [program], {
    cwd: repository,
    env: carrel.env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(carrel.json(repository, 'ls')).toMatchObject([{ name: 'login' }]);
});

/** Takes the types out. */
async function compile(source: string): Promise<string> {
  const directory = tempDir();
  writeFileSync(join(directory, 'example.ts'), source);
  await bundle(join(directory, 'example.ts'), { file: join(directory, 'example.mjs') });
  return join(directory, 'example.mjs');
}

test('a program creates, uses, lands and removes workspaces, receives events, and gets errors with codes', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  commitFiles(repository, { 'b.txt': 'b\n' });
  const program = join(tempDir(), 'program.mjs');
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs';
import { isCarrelError } from ${JSON.stringify(LIBRARY)};
import { execInWorkspace, landWorkspace, listWorkspaces, openApp, removeWorkspace, restoreSnapshot, up } from ${JSON.stringify(ADVANCED)};
const repository = process.cwd();
const heard = [];
const app = await openApp({ environment: process.env, cwd: repository, narrate: line => heard.push(line) });
const [one, two] = await Promise.all(['one', 'two'].map(name => up(app, { repository, name })));
const run = await execInWorkspace(app, { repository, name: 'one', command: ['sh', '-c', 'echo x > x.txt; exit 3'], output: 'capture' });
const landed = await landWorkspace(app, { repository, name: 'one', message: 'from a program' });
writeFileSync(two.path + '/new.txt', 'new');
const refused = await removeWorkspace(app, { repository, name: 'two', accepted: {} }).catch(error => error);
const removed = await removeWorkspace(app, { repository, name: 'two', accepted: { discardChanges: true } });
await restoreSnapshot(app, { repository, snapshot: removed.snapshot });
const left = await listWorkspaces(app, { repository });
const answers = {
  exitCode: run.exitCode,
  commits: landed.commits,
  refused: isCarrelError(refused, 'REMOVAL_REFUSED'),
  left: left.map(({ name, changes }) => [name, changes.untracked]),
  heard,
};
await app.close();
await app.close();
process.stdout.write(JSON.stringify(answers));
`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
    cwd: repository,
    env: carrel.env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    exitCode: 3,
    commits: 1,
    refused: true,
    left: [['two', 1]],
    heard: [expect.stringMatching(/^committed the changes in one as [0-9a-f]{10}$/)],
  });
  expect(readFileSync(join(repository, 'x.txt'), 'utf8')).toBe('x\n');
});

test('schemas are made with the zod of the program, and stack traces can name the sources', () => {
  const program = `import { z } from 'zod';
import { CarrelError, ConfigSchema } from ${JSON.stringify(LIBRARY)};
const stack = (() => { try { new CarrelError('NO_SUCH_CODE', {}); } catch (error) { return error.stack; } })();
console.log(JSON.stringify({ isSameZod: ConfigSchema.constructor === z.ZodObject, stack }));`;
  const options = ['--enable-source-maps', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { stack, isSameZod } = JSON.parse(stdout);
  expect(isSameZod).toBe(true);
  const [, line] = /src\/domain\/error\/error\.ts:(\d+)/.exec(stack) ?? [];
  expect(readFileSync('src/domain/error/error.ts', 'utf8').split('\n')[Number(line) - 1]).toContain('entry.');
});

test('carrel/client imports nothing, and carrel/tools nothing of the rest of Carrel', () => {
  expect(importsOf('dist/client.js')).toEqual([]);
  expect(importsOf('dist/tools.js').filter(id => !id.startsWith('node:'))).toEqual(['zod']);
});

function importsOf(file: string): string[] {
  const imports = readFileSync(file, 'utf8').matchAll(
    /(?:\bfrom|\bimport\(?|\brequire\()\s*[`'"]([\w@./:-]+)[`'"]/g,
  );
  return [...new Set([...imports].map(([, id = '']) => id))].sort();
}
