import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { runProcess } from '../../exec/run-process.js';
import { eventually } from '../contract/traces.js';
import { measureUsage } from './disk-usage.js';
import { watchDisk } from './disk-watch.js';

const MiB = 1024 ** 2;
const never = new AbortController().signal;

test('directories are measured together; a file with two names counts once, and links are not followed', async () => {
  const [one, two] = [tempDir(), tempDir()];
  writeFileSync(join(one, 'a'), Buffer.alloc(MiB, 'a'));
  linkSync(join(one, 'a'), join(two, 'a'));
  writeFileSync(join(two, 'b'), Buffer.alloc(MiB, 'b'));
  const used = (await measureUsage(runProcess, [one, two, join(one, 'none')], never)) ?? 0;
  expect(used).toBeGreaterThanOrEqual(2 * MiB);
  expect(used).toBeLessThan(2.5 * MiB);
});

test('files without content count too', async () => {
  const directory = tempDir();
  for (let number = 0; number < 300; number++) writeFileSync(join(directory, `f${number}`), '');
  expect(await measureUsage(runProcess, [directory], never)).toBeGreaterThan(300 * 4096);
});

test('directories deeper than the longest path are measured', async () => {
  const directory = tempDir();
  const dig =
    'i=0; while [ $i -lt 60 ]; do mkdir "$0"; cd "$0"; i=$((i+1)); done; head -c 1000000 /dev/urandom > f';
  const name = 'd'.repeat(200);
  const env = { PATH: '/usr/bin:/bin' };
  await runProcess({ command: 'sh', args: ['-c', dig, name], cwd: directory, env });
  expect(await measureUsage(runProcess, [directory], never)).toBeGreaterThan(MiB * 0.9);
  await runProcess({ command: 'rm', args: ['-rf', join(directory, name)], cwd: '/', env });
});

test('exceeding the limit is reported once, and a watch can be stopped twice', async () => {
  const directory = tempDir();
  mkdirSync(join(directory, 'below'));
  let exceeded = 0;
  const watch = watchDisk(runProcess, [directory], 2 * MiB, () => exceeded++);
  onTestFinished(() => watch.stop());
  writeFileSync(join(directory, 'below/a'), Buffer.alloc(MiB, 'a'));
  writeFileSync(join(directory, 'below/b'), Buffer.alloc(3 * MiB, 'b'));
  await eventually('the word', () => exceeded === 1);
  await watch.stop();
  await watch.stop();
  expect(exceeded).toBe(1);
});

test('staying below the limit is not reported', async () => {
  const directory = tempDir();
  writeFileSync(join(directory, 'a'), Buffer.alloc(MiB, 'a'));
  let exceeded = 0;
  let measured = 0;
  const run: typeof runProcess = async request => {
    const result = await runProcess(request);
    measured++;
    return result;
  };
  const watch = watchDisk(run, [directory], 100 * MiB, () => exceeded++);
  await eventually('the first measuring', () => measured === 2);
  await watch.stop();
  expect(exceeded).toBe(0);
});

test('a failed measurement is reported like an exceeded limit, and thrown at the end', async () => {
  let exceeded = 0;
  const run: typeof runProcess = request => runProcess({ ...request, command: '/no/such/du' });
  const watch = watchDisk(run, [tempDir()], MiB, () => exceeded++);
  await eventually('the word', () => exceeded === 1);
  await expect(watch.stop()).rejects.toMatchObject({ code: 'ENOENT' });
});
