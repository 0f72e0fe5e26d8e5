import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { runProcess } from '../../exec/run-process.js';
import { launchWithin } from './launch-within-limits.js';

const start = (launch: ReturnType<typeof launchWithin>) =>
  runProcess({ ...launch, cwd: '/', env: { PATH: '/usr/bin:/bin' } });

test('without limits the program is started directly', () => {
  expect(launchWithin(['bwrap', '--version'], [], {})).toEqual({ command: 'bwrap', args: ['--version'] });
});

test('the program joins the group with its final pid, and its arguments arrive unchanged', async () => {
  const file = join(tempDir(), 'a file with "spaces"');
  const words = ['sh', '-c', 'echo $$; printf "[%s]" "$@"', 'sh', '--', '', '$x y'] as const;
  const { stdout } = await start(launchWithin([...words], [file], {}));
  const [pid, rest] = stdout.toString().split('\n');
  expect(readFileSync(file, 'utf8')).toBe(`${pid}\n`);
  expect(rest).toBe('[--][][$x y]');
});

test('files stay within the size limit', async () => {
  const { stdout } = await start(launchWithin(['sh', '-c', 'ulimit -f'], [], { fileSize: 10_000 }));
  expect(stdout.toString().trim()).toBe('19');
});

test("when a group can't be joined, nothing is started", async () => {
  const place = tempDir();
  const made = join(place, 'made');
  const result = await start(launchWithin(['touch', made], [join(place, 'none/cgroup.procs')], {}));
  expect(result.exitCode).not.toBe(0);
  expect(existsSync(made)).toBe(false);
});
