import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { requirePart } from '../../parts/required-part.js';
import { tempDir } from '../temp.js';
import { MACOS_FIXTURES } from './macos.js';

/** System programs that list processes, and their replacements. */
const COVERED = [
  { paths: ['/usr/bin/ps', '/bin/ps'], stand: 'ps.mjs' },
  { paths: ['/usr/sbin/sysctl', '/sbin/sysctl', '/usr/bin/sysctl', '/bin/sysctl'], stand: 'sysctl' },
  { paths: ['/usr/bin/lsof', '/usr/sbin/lsof'], stand: 'lsof.mjs' },
];

/**
 * Words before a command that show it a machine without /proc, whose `ps`, `sysctl` and `lsof` answer as those of macOS
 * do. The directory is one of the test's own, for the real /proc that only those see. Skips where it can't be done.
 */
export function hideProc(context: TestContext): string[] {
  const directory = tempDir();
  const proc = join(directory, 'proc');
  mkdirSync(proc);
  const covers = COVERED.map(({ paths, stand }) => {
    const path = paths.find(existsSync);
    requirePart(context, path !== undefined, stand === 'lsof.mjs' ? 'lsof' : 'ps');
    return ['--ro-bind', writeStandIn(directory, proc, stand), path as string];
  });
  const words = [
    ...['bwrap', '--dev-bind', '/', '/', '--bind', '/proc', proc, '--tmpfs', '/proc'],
    ...[...covers.flat(), '--'],
  ];
  const [command = '', ...args] = [...words, 'sh', '-c', '! test -e /proc/self && ps -p $$ -o pid='];
  const trial = spawnSync(command, args);
  requirePart(context, trial.status === 0, 'bubblewrap');
  return words;
}

function writeStandIn(directory: string, proc: string, stand: string): string {
  const file = join(directory, stand);
  const program = stand.endsWith('.mjs')
    ? `'${process.execPath}' '${MACOS_FIXTURES}/${stand}' '${proc}'`
    : '';
  const script = program || `sh '${MACOS_FIXTURES}/${stand}'`;
  writeFileSync(file, `#!/bin/sh\nexec ${script} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
