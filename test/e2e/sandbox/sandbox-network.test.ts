import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createCarrel } from '../../helpers/carrel.js';
import { flavours, thoroughTest } from '../../helpers/flavours.js';
import { withSmallInternet } from '../../helpers/network/small-internet.js';
import { makeRepository, writeFiles } from '../../helpers/repository.js';
import { NOBODY } from '../../helpers/sandbox/runtime.js';
import { tempDir } from '../../helpers/temp.js';
import { findReadableProgram } from '../../helpers/workspace/readable-program.js';
import { DESK_FILES } from '../../helpers/workspace/test-workspace.js';
import { giveAway } from '../../helpers/workspace/unprivileged-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';
import { isRoot, requirePart, requireProgram } from '../../parts/required-part.js';

beforeEach(context => {
  requirePart(context, isRoot, 'root');
  requireBubblewrap(context);
  requireProgram(context, 'slirp4netns');
});

type Caller = 'root' | 'an ordinary user';

const CONFIG = (network: string) =>
  `sandbox: { runtime: bubblewrap, network: ${network} }\nisolation: { default: full, onUnavailable: fail }\n`;

/** Runs the real command on a machine of the test's own. */
function settle(
  caller: Caller,
  network: string,
  onMachine: readonly string[],
  path = process.env.PATH ?? '',
) {
  const home = tempDir();
  writeFiles(home, { 'config/carrel/config.yaml': CONFIG(network) });
  const repository = makeRepository(DESK_FILES, join(home, 'repo'));
  mkdirSync(join(home, 'tmp'));
  const { env } = createCarrel(home, { TMPDIR: join(home, 'tmp'), XDG_CACHE_HOME: join(home, 'caches') });
  const isNobody = caller === 'an ordinary user';
  if (isNobody) giveAway(home);
  const user = isNobody
    ? ['/usr/bin/setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']
    : [];
  const program = findReadableProgram(NOBODY);
  return (...args: string[]) => {
    const [command = '', ...rest] = [
      ...onMachine,
      ...(onMachine.length > 0 ? [repository] : []),
      ...user,
      process.execPath,
      program,
      ...args,
    ];
    return spawnSync(command, rest, { cwd: repository, env: { ...env, PATH: path }, encoding: 'utf8' });
  };
}

/** Prints the greeting of each address, or refused. */
const REACH = `
for place in "$@"; do
  said=$(timeout 5 bash -c 'exec 3<> "/dev/tcp/$0" && cat <&3' "$place" 2> /dev/null)
  echo "$place \${said:-refused}"
done
echo "abstract $(grep -c @carrel-test /proc/net/unix)"
`;

const PLACES = [
  ...['names.example/80', 'short/80', '198.51.100.2/80'],
  // The machine: its loopback, by what stands for it, and by its addresses.
  ...['127.0.0.1/7000', '10.0.2.2/7000', '10.0.2.3/7000', '172.30.0.100/7001', '10.77.0.1/7001'],
];

describe.each(flavours<Caller>('an ordinary user', 'root'))('sandbox.network for %s', caller => {
  test('full reaches other machines by name and address, but not this machine', async () => {
    await withSmallInternet(onMachine => {
      const carrel = settle(caller, 'full', onMachine);
      expect(carrel('up', 'a').stderr).not.toContain('hint');
      const { stdout, stderr } = carrel('exec', 'a', '--', 'bash', '-c', REACH, 'bash', ...PLACES);
      expect(`${stdout}${stderr}`.trim().split('\n')).toEqual([
        'names.example/80 far',
        'short/80 far',
        '198.51.100.2/80 far',
        '127.0.0.1/7000 refused',
        '10.0.2.2/7000 refused',
        '10.0.2.3/7000 refused',
        '172.30.0.100/7001 refused',
        '10.77.0.1/7001 refused',
        'abstract 0',
      ]);
    });
  });

  thoroughTest('host shares the network of this machine, and says so', async () => {
    await withSmallInternet(onMachine => {
      const carrel = settle(caller, 'host', onMachine);
      expect(carrel('up', 'a').stderr).toContain('sandbox.network is host');
      const { stdout } = carrel('exec', 'a', '--', 'bash', '-c', REACH, 'bash', ...PLACES);
      expect(stdout.trim().split('\n')).toEqual([
        'names.example/80 far',
        'short/80 far',
        '198.51.100.2/80 far',
        '127.0.0.1/7000 loopback',
        '10.0.2.2/7000 refused',
        '10.0.2.3/7000 refused',
        '172.30.0.100/7001 wildcard',
        '10.77.0.1/7001 wildcard',
        'abstract 1',
      ]);
      expect(carrel('show', 'a').stdout).toContain("network host (weaker: shares this machine's network)");
    });
  });

  thoroughTest('full is refused without a program for it, and nothing is left', () => {
    const programs = tempDir();
    const without = ['slirp4netns', 'pasta', 'podman', 'docker'];
    for (const name of readdirSync('/usr/bin').filter(name => !without.includes(name)))
      symlinkSync(join('/usr/bin', name), join(programs, name));
    giveAway(programs);
    const carrel = settle(caller, 'full', [], programs);
    const { status, stderr } = carrel('up', 'a');
    expect(status).not.toBe(0);
    expect(stderr).toContain("the sandbox can't have its own network");
    expect(stderr).toMatch(/install the package slirp4netns.*or host, which is weaker/);
    expect(carrel('ls', '--json').stdout).not.toContain('"name"');
    expect(carrel('doctor').stdout).toContain("the sandbox can't have its own network");
  });
});
