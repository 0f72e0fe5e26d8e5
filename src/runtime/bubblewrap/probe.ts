import { isCarrelError } from '../../domain/error.js';
import type { RuntimeFinding, RuntimeObstacle } from '../../domain/runtime.js';
import { enforceableLimits } from '../limits/enforceable.js';
import { tryLimitMeans } from '../limits/means.js';
import type { Policy } from '../policy.js';
import { execInBubblewrap } from './exec.js';
import { type Bubblewrap, isAtLeast, OLDEST } from './locate.js';
import { type BubblewrapRuntimeOptions, type Machine, prepareSandbox } from './prepare.js';
import { explainRefusal } from './refusal.js';

/** What is wrong before anything is tried; undefined when nothing is. */
export function findObstacle(bubblewrap: Bubblewrap | undefined): RuntimeFinding | undefined {
  if (!bubblewrap) {
    const message = 'there is no bwrap in the directories of PATH';
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
  const lack = findLack(machine);
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

/** What Carrel itself has not for this machine. */
function findLack({ filterFor }: Machine): string | undefined {
  try {
    filterFor(false);
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

/** What keeps a sandbox from starting; undefined when one did. */
async function findProblem(machine: Machine, bubblewrap: Bubblewrap): Promise<string | undefined> {
  try {
    const sandbox = await prepareSandbox(machine, bubblewrap, '.probe', emptyPolicy(machine.options.uid));
    const result = await execInBubblewrap(sandbox, { command: ['true'], timeoutMs: PROBE_MS });
    return result.exitCode === 0 ? undefined : 'a sandbox did not come to an end';
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
  const unsafe = `without a user namespace, root in a sandbox is root of the machine: ${message}`;
  return finding('unsafe-as-root', version, unsafe, hint);
}

/** Bubblewrap works for root without one, and would keep nothing from it. */
async function lacksOnlyUserNamespace(
  { run }: BubblewrapRuntimeOptions,
  { program }: Bubblewrap,
): Promise<boolean> {
  const works = async (...flags: string[]): Promise<boolean> => {
    const args = [...flags, '--unshare-pid', '--die-with-parent', '--ro-bind', '/', '/', '--', 'true'];
    const env = { PATH: '/usr/bin:/bin' };
    const { exitCode } = await run({ command: program, args, cwd: '/', env, timeoutMs: PROBE_MS });
    return exitCode === 0;
  };
  return !(await works('--unshare-user')) && (await works());
}

function listWarnings({ uid }: BubblewrapRuntimeOptions, { disableUserns, version }: Bubblewrap): string[] {
  const asRoot =
    'commands run as root of the machine, in a user namespace without rights; an ordinary user is safer';
  const old = `bubblewrap ${version} can't turn user namespaces off inside; the filter of system calls alone does`;
  return [...(uid === 0 ? [asRoot] : []), ...(disableUserns ? [] : [old])];
}
