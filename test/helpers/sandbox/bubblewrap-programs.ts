import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot } from '../../parts/required-part.js';
import { type Program, usePrograms } from '../machine/programs.js';
import { tempDir } from '../temp.js';
import { NOBODY } from './runtime.js';

/** Command prefix that switches the user of the tests to an ordinary user. */
export const AS_NOBODY = isRoot
  ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']
  : [];

const WITHOUT_RIGHTS = 'setpriv --inh-caps=-all --ambient-caps=-all --';
const NO_NAMESPACES = 'echo 0 > /proc/sys/user/max_user_namespaces && exec';

/** An ordinary user, on a machine that allows no user namespaces. */
export const WITHOUT_NAMESPACES = [
  ...AS_NOBODY,
  ...['unshare', '--user', '--map-current-user', '--keep-caps', '--'],
  ...['sh', '-c', `${NO_NAMESPACES} ${WITHOUT_RIGHTS} "$@"`, 'sh'],
];

/** Root, of such a machine. */
export const ROOT_WITHOUT_NAMESPACES = [
  ...['unshare', '--user', '--map-root-user', '--'],
  ...['sh', '-c', `${NO_NAMESPACES} "$@"`, 'sh'],
];

/**
 * Programs of another user that have a bubblewrap `runtime` and a `policy`, in which the directory `place` is writable.
 * As for `usePrograms`, whose words come after ours.
 */
export function useBubblewrapPrograms(
  launcher: readonly string[] = [],
): (program: string, ...args: string[]) => Program {
  const start = usePrograms({
    modules: {
      runtime: 'src/runtime/bubblewrap/runtime.ts',
      run: 'src/exec/run-process.ts',
      identity: 'src/exec/process/identify-process.ts',
    },
    imports: IMPORTS,
    launcher,
  });
  return (program, ...args) =>
    start(`${PREAMBLE}${program}`, makePlace(launcher.includes('setpriv')), ...args);
}

const IMPORTS = `
import { randomBytes } from 'node:crypto';
import { release } from 'node:os';
import { join } from 'node:path';
import { createBubblewrapRuntime } from './runtime.js';
import { runProcess } from './run.js';
import { identifyProcess } from './identity.js';
`;

const PREAMBLE = `
const place = args.shift();
const user = { uid: process.getuid(), gid: process.getgid() };
const policy = {
  root: { kind: 'machine' },
  mounts: [{ kind: 'bind', from: join(place, 'own'), to: join(place, 'own'), writable: true }],
  environment: { PATH: '/usr/bin:/bin' },
  workingDirectory: join(place, 'own'),
  hostname: 'carrel',
  user,
  network: 'none',
  limits: {},
  enforcement: 'enforce',
  nested: false,
  privileged: false,
};
const runtime = createBubblewrapRuntime({
  run: runProcess,
  path: process.env.PATH,
  untrusted: [],
  architecture: process.arch,
  kernel: release(),
  uid: user.uid,
  self: identifyProcess(process.pid),
  directory: join(place, 'runtime'),
  unique: () => randomBytes(8).toString('hex'),
});
`;

function makePlace(isOfNobody: boolean): string {
  const place = tempDir();
  mkdirSync(join(place, 'own'));
  if (isOfNobody) for (const path of [join(place, 'own'), place]) chownSync(path, NOBODY, NOBODY);
  return place;
}
