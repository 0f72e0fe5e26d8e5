import { isCarrelError } from '../../domain/error/error.js';
import type { RuntimeFinding, RuntimeObstacle } from '../../domain/sandbox/runtime-finding.js';
import { enforceableLimits } from '../limits/enforceable-limits.js';
import { tryLimitMeans } from '../limits/limit-means.js';
import type { Policy } from '../policy.js';
import { execInBubblewrap } from './execute-command.js';
import { explainRefusal } from './explain-refusal.js';
import { readSystemLayout } from './layout/system-layout.js';
import { type Bubblewrap, isAtLeast, OLDEST } from './locate-bubblewrap.js';
import { type BubblewrapRuntimeOptions, type Machine, prepareSandbox } from './prepare-sandbox.js';

/** What is wrong before anything was tried; undefined when nothing is. */
export function findObstacle(bubblewrap: Bubblewrap | undefined): RuntimeFinding | undefined {
  if (!bubblewrap) {
    const message = 'bwrap was not found on PATH';
    return finding('not-installed', null, message, 'install the package bubblewrap');
  }
  const { version } = bubblewrap;
  if (isAtLeast(version, OLDEST)) return undefined;
  const message = `bubblewrap ${version} is too old; expected ${OLDEST} or newer`;
  return finding('too-old', version, message, 'install a newer bubblewrap');
}

/** Runs a program that does nothing with the flags of every sandbox. */
export async function probeBubblewrap(machine: Machine): Promise<RuntimeFinding> {
  const { options } = machine;
  const bubblewrap = await machine.locate();
  const obstacle = findObstacle(bubblewrap);
  if (!bubblewrap || obstacle) return obstacle as RuntimeFinding;
  const lack = findMissingFilter(machine);
  if (lack !== undefined) return finding('refused', bubblewrap.version, lack, null);
  const problem = await findProblem(machine, bubblewrap);
  if (problem !== undefined) return await explain(options, bubblewrap, problem);
  const { version } = bubblewrap;
  return {
    ...finding(null, version, `bubblewrap ${version} works`, null),
    limits: enforceableLimits(await tryLimitMeans(options, options)),
    warnings: listWarnings(options, bubblewrap),
  };
}

function finding(
  obstacle: RuntimeObstacle | null,
  version: string | null,
  message: string,
  hint: string | null,
): RuntimeFinding {
  return { runtime: 'bubblewrap', obstacle, version, message, hint, limits: [], warnings: [] };
}

/** What Carrel itself lacks for this machine. */
function findMissingFilter({ filterFor }: Machine): string | undefined {
  try {
    filterFor(false);
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

/** What prevents a sandbox from starting; undefined when one started. */
async function findProblem(machine: Machine, bubblewrap: Bubblewrap): Promise<string | undefined> {
  try {
    const sandbox = await prepareSandbox(machine, bubblewrap, '.probe', emptyPolicy(machine.options.uid));
    const result = await execInBubblewrap(sandbox, { command: ['true'], timeoutMs: PROBE_MS });
    return result.exitCode === 0 ? undefined : 'a test sandbox did not exit';
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): string {
  if (isCarrelError(error, 'SANDBOX_REFUSED')) return String(error.details.problem);
  throw error;
}

const PROBE_MS = 20_000;

const emptyPolicy = (uid: number): Policy => ({
  root: { kind: 'machine' },
  mounts: [],
  environment: { PATH: '/usr/bin:/bin' },
  workingDirectory: '/',
  hostname: 'carrel',
  user: { uid, gid: 65_534 },
  network: 'none',
  limits: {},
  enforcement: 'enforce',
  nested: false,
  privileged: false,
});

async function explain(
  options: BubblewrapRuntimeOptions,
  bubblewrap: Bubblewrap,
  problem: string,
): Promise<RuntimeFinding> {
  const { message, hint } = explainRefusal(options.uid, problem);
  const { version } = bubblewrap;
  if (options.uid !== 0 || !(await lacksOnlyUserNamespace(options, bubblewrap))) {
    return finding('refused', version, message, hint);
  }
  const unsafe = `without a user namespace, root in a sandbox is root on the machine: ${message}`;
  return finding('unsafe-as-root', version, unsafe, hint);
}

/** bubblewrap works for root without one, but would not restrict root. */
async function lacksOnlyUserNamespace(
  { run }: BubblewrapRuntimeOptions,
  { program }: Bubblewrap,
): Promise<boolean> {
  const { directories, links } = await readSystemLayout();
  // Not the whole root: a mount of the machine that can't be bound would look like a missing permission.
  const system = [
    ...directories.flatMap(path => ['--ro-bind', path, path]),
    ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
  ];
  const works = async (...flags: string[]): Promise<boolean> => {
    const args = [...flags, '--unshare-pid', '--die-with-parent', ...system, '--', 'true'];
    const env = { PATH: '/usr/bin:/bin' };
    const { exitCode } = await run({ command: program, args, cwd: '/', env, timeoutMs: PROBE_MS });
    return exitCode === 0;
  };
  return !(await works('--unshare-user')) && (await works());
}

function listWarnings({ uid }: BubblewrapRuntimeOptions, { disableUserns, version }: Bubblewrap): string[] {
  const asRoot =
    'commands run as root on the machine, in a user namespace without privileges; an ordinary user is safer';
  const old = `bubblewrap ${version} cannot turn user namespaces off inside; only the system call filter does`;
  return [...(uid === 0 ? [asRoot] : []), ...(disableUserns ? [] : [old])];
}
