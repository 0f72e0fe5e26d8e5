import { access, constants, mkdir } from 'node:fs/promises';
import { carrelError, errnoOf, isCarrelError } from '../domain/error.js';
import { formatSize } from '../domain/quantity.js';
import type { DoctorReport } from '../domain/result.js';
import type { RuntimeFinding } from '../domain/runtime.js';
import { gitEnvironment } from '../exec/environment.js';
import { runProcess } from '../exec/run.js';
import { isGitRecentEnough, OLDEST_GIT, readGitVersion } from '../git/version.js';
import { isInJjWorkspace } from '../jj/repository.js';
import { freeBytes } from '../workspace/disk.js';
import { resolveRoot } from '../workspace/folder.js';
import type { Context } from './context.js';
import { locateRepository } from './locate-repository.js';
import { rootOf } from './require-room.js';
import { applyTemplate } from './settings.js';

type Check = DoctorReport['checks'][number];

/** Looks at everything that Carrel stands on. Each check is independent: one that fails does not stop the others. */
export async function diagnose(
  context: Context,
  input: { readonly repository: string },
): Promise<DoctorReport> {
  const checks = await Promise.all([
    checkNode(),
    attempt('git', () => checkGit(context)),
    attempt('repository', () => checkRepository(context, input.repository)),
    attempt('configuration', () => checkConfiguration(context, input.repository)),
    attempt('state directory', () => checkDirectory('state directory', context.places.stateDir)),
    attempt('cache directory', () => checkDirectory('cache directory', context.places.cacheDir)),
    attempt('records', () => checkRecords(context)),
    attempt('jj', () => checkJj(context, input.repository)),
    attempt('overlays', () => checkOverlays(context, input.repository)),
  ]);
  const all = [...checks, ...(await checkRuntimes(context))];
  return { healthy: all.every(check => check.status !== 'problem'), checks: all };
}

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

async function checkGit(context: Context): Promise<Check> {
  const version = await readGitVersion(context.git, context.cwd);
  if (isGitRecentEnough(version)) return ok('git', `git ${version}`);
  const message = `git ${version} is too old; expected ${OLDEST_GIT.join('.')} or newer`;
  return { name: 'git', status: 'problem', message, hint: 'install a newer git' };
}

async function checkRepository(context: Context, directory: string): Promise<Check> {
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

async function checkRecords(context: Context): Promise<Check> {
  const workspaces = await context.store.workspaces.list();
  const snapshots = await context.store.snapshots.list();
  return ok(
    'records',
    `${workspaces.length} workspace(s), ${snapshots.length} snapshot(s) in ${context.store.location}`,
  );
}

async function checkJj(context: Context, directory: string): Promise<Check> {
  const request = {
    command: 'jj',
    args: ['--version'],
    cwd: context.cwd,
    // Not a jj that lies in a workspace.
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

/** Where they can't be had, files are checked out: slower, and no problem. */
async function checkOverlays(context: Context, directory: string): Promise<Check> {
  const repository = await locateRepository(context, directory).catch(() => undefined);
  const settings = repository && (await applyTemplate(context, repository, undefined));
  const root = await resolveRoot(rootOf(context, { root: settings?.root ?? null }));
  const place = { commonDir: repository?.commonDir ?? '' };
  const obstacle = await context.backends.overlay.findObstacle?.(place, root);
  if (!obstacle) return ok('overlays', `can be mounted in ${root}`);
  return { name: 'overlays', status: 'absent', message: obstacle, hint: null };
}

/** One line for each runtime, and one for what that means for isolation `full`. */
async function checkRuntimes(context: Context): Promise<Check[]> {
  const { runtimes } = await context.sandboxes();
  const findings = await Promise.all(SANDBOXED.map(name => runtimes[name].probe()));
  const working = findings.filter(finding => finding.obstacle === null).map(finding => finding.runtime);
  const summary =
    working.length > 0
      ? ok('isolation full', `commands run in ${working[0]}`)
      : describeNoRuntime('isolation full falls back to worktree, or is refused with --strict');
  return [...findings.map(describeRuntime), summary];
}

const SANDBOXED = ['bubblewrap', 'podman', 'docker'] as const;

function describeRuntime({ runtime, obstacle, message, hint, warnings }: RuntimeFinding): Check {
  if (obstacle !== null) return { name: runtime, status: 'absent', message, hint };
  if (warnings.length === 0) return ok(runtime, message);
  return { name: runtime, status: 'warning', message: [message, ...warnings].join('; '), hint };
}

const describeNoRuntime = (message: string): Check => ({
  name: 'isolation full',
  status: 'warning',
  message: `no sandboxed runtime works here; ${message}`,
  hint: 'install bubblewrap, for example with: apt-get install bubblewrap',
});
