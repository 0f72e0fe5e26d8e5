import { access, constants, mkdir } from 'node:fs/promises';
import { carrelError, errnoOf, isCarrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { DoctorReport } from '../../domain/report/result.js';
import type { RuntimeFinding } from '../../domain/sandbox/runtime-finding.js';
import { formatSize } from '../../domain/text/format-quantity.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { isGitRecentEnough, OLDEST_GIT, readGitVersion } from '../../git/repository/git-version.js';
import { keptDirIn, listKept } from '../../git/snapshot/kept-store.js';
import { isInJjWorkspace } from '../../jj/repository.js';
import type { RuntimeRegistry } from '../../runtime/runtime-registry.js';
import { freeBytes } from '../../workspace/files/free-disk.js';
import { resolveRoot } from '../../workspace/location/choose-folder.js';
import type { Context } from '../context.js';
import { count, hasGit } from '../recovery/reconcile.js';
import { findUnrecorded } from '../repository/find-unrecorded.js';
import { locateRepository } from '../repository/locate-repository.js';
import { withIsolation } from '../settings/resolve-isolation.js';
import { applyTemplate } from '../settings/workspace-settings.js';
import { verifySnapshots } from '../snapshot/verify-snapshots.js';
import { workspaceRootOf } from '../space/workspace-root.js';
import { describeCheckpointFailure } from '../workspace/restore-hints.js';
import { checkNetwork } from './check-network.js';
import { describeUnlimited } from './unlimited.js';

type Check = DoctorReport['checks'][number];

export interface DoctorInput {
  readonly repository: string;
  /** Verifies every snapshot by restoring it (see verify-snapshots.ts). */
  readonly deep?: boolean | undefined;
  /** The snapshots of every repository. */
  readonly all?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Checks everything that Carrel depends on. Each check is independent: one that fails does not stop the others. */
export async function diagnose(context: Context, input: DoctorInput): Promise<DoctorReport> {
  const checks = await Promise.all([
    checkNode(),
    attempt('git', () => checkGit(context)),
    attempt('repository', () => checkRepository(context, input.repository)),
    attempt('configuration', () => checkConfiguration(context, input.repository)),
    attempt('state directory', () => checkDirectory('state directory', context.places.stateDir)),
    attempt('cache directory', () => checkDirectory('cache directory', context.places.cacheDir)),
    attempt('records', () => checkRecords(context, input.repository)),
    attempt('kept files', () => checkKeptFiles(context)),
    attempt('jj', () => checkJj(context, input.repository)),
    attempt('overlays', () => checkOverlays(context, input.repository)),
    attempt('sandbox network', () => checkNetwork(context)),
  ]);
  const snapshots = input.deep ? await verifySnapshots(context, input) : undefined;
  const all = [
    ...checks,
    ...(await checkCheckpoints(context)),
    ...(await checkRuntimes(context, input.repository)),
    ...(snapshots ? describeSnapshots(snapshots) : []),
  ];
  const healthy = all.every(check => check.status !== 'problem');
  return { healthy, checks: all, ...(snapshots && { snapshots }) };
}

/** One line for all intact ones, and one for each broken one. */
function describeSnapshots(snapshots: NonNullable<DoctorReport['snapshots']>): Check[] {
  const others = snapshots.filter(({ status }) => status !== 'ok');
  const whole = snapshots.length - others.length;
  return [
    ok('snapshots', `${whole} of ${snapshots.length} verified by restoring them`),
    ...others.map(({ id, workspace, status, problems, hint }): Check => {
      const more = problems.length > MOST_PROBLEMS ? `; and ${problems.length - MOST_PROBLEMS} more` : '';
      const message = `${id} of ${workspace}: ${problems.slice(0, MOST_PROBLEMS).join('; ')}${more}`;
      return { name: 'snapshot', status: status === 'broken' ? 'problem' : 'warning', message, hint };
    }),
  ];
}

const MOST_PROBLEMS = 3;

async function attempt(name: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check();
  } catch (error) {
    const hint = isCarrelError(error) ? error.hint : null;
    return { name, status: 'problem', message: error instanceof Error ? error.message : String(error), hint };
  }
}

const ok = (name: string, message: string): Check => ({ name, status: 'ok', message, hint: null });

function checkNode(): Check {
  return ok('node', `Node.js ${process.versions.node}`);
}

async function checkGit(context: Pick<Context, 'git' | 'cwd'>): Promise<Check> {
  const version = await readGitVersion(context.git, context.cwd);
  if (isGitRecentEnough(version)) return ok('git', `git ${version}`);
  const message = `git ${version} is too old; expected ${OLDEST_GIT.join('.')} or newer`;
  return { name: 'git', status: 'problem', message, hint: 'install a newer git' };
}

async function checkRepository(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>,
  directory: string,
): Promise<Check> {
  try {
    const { root } = await locateRepository(context, directory);
    return ok('repository', root);
  } catch (error) {
    if (!isCarrelError(error, 'NOT_A_REPOSITORY')) throw error;
    return { name: 'repository', status: 'absent', message: error.message, hint: error.hint };
  }
}

async function checkConfiguration(context: Context, directory: string): Promise<Check> {
  const root = await locateRepository(context, directory).then(
    repository => repository.root,
    () => null,
  );
  const { files } = await context.loadConfig(root);
  return ok('configuration', files.length > 0 ? files.join(', ') : 'defaults only');
}

async function checkDirectory(name: string, path: string): Promise<Check> {
  await mkdir(path, { recursive: true });
  await access(path, constants.W_OK);
  return ok(name, `${path}, ${formatSize(await freeBytes(path))} free`);
}

async function checkRecords(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>,
  directory: string,
): Promise<Check> {
  const damaged = await context.store.damaged.list();
  const repository = await locateRepository(context, directory).catch(() => undefined);
  const lost = repository && hasGit(repository) ? await findUnrecorded(context, repository) : undefined;
  const problems = [
    ...damaged.map(({ problem }) => problem),
    ...(lost && lost.workspaces.length + lost.snapshots.length > 0
      ? [`${repository?.root} has ${count(lost.workspaces.length, lost.snapshots.length)} without a record`]
      : []),
  ];
  if (problems.length > 0)
    return {
      name: 'records',
      status: 'problem',
      message: problems.join('; '),
      hint: 'rebuild the records from the repository with: carrel doctor --repair',
    };
  const workspaces = await context.store.workspaces.list();
  const snapshots = await context.store.snapshots.list();
  return ok('records', `${count(workspaces.length, snapshots.length)} in ${context.store.location}`);
}

/** No line while they work. */
async function checkCheckpoints({ store }: Pick<Context, 'store'>): Promise<Check[]> {
  const failed = (await store.workspaces.list()).flatMap(describeCheckpointFailure);
  if (failed.length === 0) return [];
  const hint = 'it is retried after the next change; turn checkpoints off with: snapshots.checkpoints: off';
  return [{ name: 'checkpoints', status: 'warning', message: failed.join('; '), hint }];
}

/** The part of snapshots that git must never push (see git/snapshot/kept-store.ts). */
async function checkKeptFiles({
  git,
  store,
  places,
}: Pick<Context, 'store' | 'git' | 'places'>): Promise<Check> {
  const name = 'kept files';
  const keptDir = keptDirIn(places.stateDir);
  const pinned = await listKept(git, keptDir);
  const needed = (await store.snapshots.list()).flatMap(({ id, kept }) => (kept ? [{ id, kept }] : []));
  const [lost] = needed.filter(({ kept }) => !pinned.has(kept));
  if (!lost)
    return ok(name, `of ${needed.length} ${needed.length === 1 ? 'snapshot' : 'snapshots'} in ${keptDir}`);
  const message = `${keptDir} no longer has the ignored files of ${lost.id}`;
  const hint = `restore the rest with: carrel restore ${lost.id}`;
  return { name, status: 'problem', message, hint };
}

async function checkJj(
  context: Pick<Context, 'places' | 'environment' | 'cwd'>,
  directory: string,
): Promise<Check> {
  const request = {
    command: 'jj',
    args: ['--version'],
    cwd: context.cwd,
    // Not a jj inside a workspace.
    env: gitEnvironment(context.environment, [context.places.cacheDir, context.places.stateDir]),
    timeoutMs: 10_000,
  };
  const version = await runProcess(request).then(
    result => result.stdout.toString('utf8').trim(),
    error => {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    },
  );
  if (version) return ok('jj', version);
  if (await isInJjWorkspace(directory))
    throw carrelError('JJ_MISSING', { path: context.environment.PATH ?? '' });
  return {
    name: 'jj',
    status: 'absent',
    message: 'jj is not installed; only jj repositories need it',
    hint: null,
  };
}

/** Without them files are checked out: slower, but not a problem. */
async function checkOverlays(context: Context, directory: string): Promise<Check> {
  const repository = await locateRepository(context, directory).catch(() => undefined);
  const settings = repository && (await applyTemplate(context, repository, undefined));
  const root = await resolveRoot(workspaceRootOf(context, { root: settings?.root ?? null }));
  const place = { commonDir: repository?.commonDir ?? '' };
  const obstacle = await context.backends.overlay.findObstacle?.(place, root);
  if (!obstacle) return ok('overlays', `can be mounted in ${root}`);
  return { name: 'overlays', status: 'absent', message: obstacle, hint: null };
}

/** One line for each runtime, and one for what that means for isolation `full`. */
async function checkRuntimes(context: Context, directory: string): Promise<Check[]> {
  const { runtimes } = await context.sandboxes();
  const findings = await Promise.all(SANDBOXED.map(name => runtimes[name].probe()));
  const seatbelt = await checkSeatbelt(runtimes);
  const isWorking = findings.some(finding => finding.obstacle === null) || seatbelt.some(isOk);
  const summary = isWorking
    ? await attempt('isolation full', () => checkFull(context, directory))
    : describeNoRuntime('isolation full fails where it is requested, and worktree is used elsewhere');
  return [...findings.map(describeRuntime), ...seatbelt, summary];
}

const isOk = ({ status }: Check): boolean => status === 'ok' || status === 'warning';

/** Starts what `carrel up --isolation full` would start here, with the same settings and by the same rule. */
async function checkFull(context: Context, directory: string): Promise<Check> {
  const name = 'isolation full';
  const repository = await locateRepository(context, directory).catch(() => undefined);
  const settings = await applyTemplate(context, repository ?? { root: directory }, undefined);
  const { tryOut, runtimes } = await context.sandboxes();
  const program = repository ? 'git' : 'sh';
  const resolved = await withIsolation(context, { isolation: 'full' }, settings, 'git', async resolved => {
    const { runtime, sandbox } = resolved;
    const id = createId('ws', context.ids);
    if (runtime !== 'host' && runtime !== 'dummy') await tryOut({ id, runtime, settings: sandbox, program });
    return resolved;
  });
  const { isolation, runtime, sandbox, substitute } = resolved;
  if (isolation.effective !== 'full')
    return {
      name,
      status: 'warning',
      message: `it falls back to ${isolation.effective}: ${isolation.reason}`,
      hint: null,
    };
  if (substitute !== null)
    return { name, status: 'warning', message: substitute, hint: 'build the image with: carrel image build' };
  const { limits } = await runtimes[runtime].probe();
  const image = sandbox.image === null ? '' : `, in the image ${sandbox.image}`;
  return ok(name, `commands run in ${runtime}${image}${describeUnlimited(limits)}`);
}

const SANDBOXED = ['bubblewrap', 'podman', 'docker'] as const;

/** Only used when the user names it, and only shown where it could be. */
async function checkSeatbelt({ seatbelt }: RuntimeRegistry): Promise<Check[]> {
  const finding = await seatbelt.probe();
  return finding.obstacle === 'unsupported-system' ? [] : [describeRuntime(finding)];
}

function describeRuntime({ runtime, obstacle, message, hint, warnings }: RuntimeFinding): Check {
  if (obstacle !== null) return { name: runtime, status: 'absent', message, hint };
  if (warnings.length === 0) return ok(runtime, message);
  return { name: runtime, status: 'warning', message: [message, ...warnings].join('; '), hint };
}

const describeNoRuntime = (message: string): Check => ({
  name: 'isolation full',
  status: 'warning',
  message: `no sandboxed runtime works here; ${message}`,
  hint: adviseRuntime(process.platform),
});

/** What to install where no sandboxed runtime works. */
const adviseRuntime = (platform: string): string =>
  platform === 'darwin'
    ? 'install podman or docker, or set sandbox.runtime to seatbelt (experimental); see the macOS guide'
    : 'install bubblewrap, for example with: apt-get install bubblewrap';
