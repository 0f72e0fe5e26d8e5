import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readIdentity } from '../../jj/jj-identity.js';
import { isInJj } from '../../workspace/sync-jj.js';
import { hasGitInside, isInPlace } from '../git-inside.js';
import { createInPlace, requireMounts } from '../in-place/in-place-git.js';
import { initJj } from '../jj/init-jj.js';
import { createPrivateJj, hasJj, removePrivateJj } from '../jj/jj-directory.js';
import { insidePlaces, TEMPORARY } from '../policy/inside-paths.js';
import { createHooksPoint } from '../policy/parent-hooks.js';
import { createPrivateGit } from '../private-git/create-private-git.js';
import { setCommitter } from '../private-git/set-committer.js';
import { requireSettings } from '../require-settings.js';
import type { SandboxPlace } from '../sandbox-place.js';
import type { SandboxesOptions } from '../sandboxes.js';
import { stopAlone } from './remove-sandboxes.js';

/** Creates what the sandbox of a new workspace needs. Returns warnings. */
export async function createSandbox(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<string[]> {
  requireKeysProxy(record);
  requireMounts(options, record);
  if (requireSettings(record).network === 'full') await options.runtimes[record.runtime].tryNetwork?.();
  const warnings = await createParts(options, record, place);
  await tryOut(options, record, place);
  await stopAlone(options, record);
  return warnings;
}

/** A network without the proxy would need the keys inside. A template may have chosen one. */
function requireKeysProxy(record: WorkspaceRecord): void {
  const { keys, network } = requireSettings(record);
  if (!keys || network === 'allowlist' || network === 'none') return;
  const expected = 'allowlist or none, together with sandbox.keys: proxy';
  throw carrelError('INVALID_INPUT', { what: 'the network of the sandbox', found: network, expected });
}

/** The container is started now, so that a program missing in its image is found before the workspace exists. SANDBOX_REFUSED. */
async function tryOut(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<void> {
  if (!options.runtimes[record.runtime].capabilities.longLived) return;
  const { run } = await options.open(record, place);
  const needed = hasGitInside(record) ? 'git' : 'sh';
  const { exitCode } = await run({ command: ['sh', '-c', `command -v ${needed} >/dev/null`] });
  if (exitCode === 0) return;
  const problem = `its image has no ${needed}`;
  throw carrelError('SANDBOX_REFUSED', { runtime: record.runtime, problem });
}

async function createParts(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<string[]> {
  await mkdir(place.home, { recursive: true, mode: 0o700 });
  await mkdir(place.proxyDir, { recursive: true, mode: 0o700 });
  const inside = insidePlaces(place, options.runtimes[record.runtime].capabilities, record.group);
  if (!inside.areMounted) await mkdir(join(place.home, TEMPORARY), { recursive: true, mode: 0o700 });
  if (isInPlace(record)) return createInPlace(options, record, place);
  if (requireSettings(record).git === 'surgical') return createSurgical(options, record, place);
  const workTree = options.workTreeOf(record);
  if (!workTree) return [];
  await createPrivateGit({
    git: options.git,
    place,
    commonDir: workTree.commonDir,
    adminDir: workTree.gitDir,
    branch: record.branch as string,
    commit: record.base.commit as string,
    insidePlaces: inside,
  });
  await createHooksPoint(record, place);
  const { commonDir } = workTree;
  await setCommitter({ ...options, ...place, repository: record.repository, commonDir, usesJj: false });
  if (!(await isInJj(record))) return [];
  return inside.areMounted ? createJj(options, record, place) : [NO_JJ];
}

async function createSurgical(
  { git, jj }: SandboxesOptions,
  { repository, commonDir, backend }: WorkspaceRecord,
  { home }: SandboxPlace,
): Promise<string[]> {
  if (commonDir === null) return [];
  await setCommitter({ git, jj, home, repository, commonDir, usesJj: backend === 'jj' });
  return [];
}

/** The agent gets the user's version control; where jj is not available it is git alone, with a warning. */
async function createJj(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<string[]> {
  const face = { place, workTree: record.path };
  const isRestored = await hasJj(place);
  await createPrivateJj(face);
  const { run } = await options.open(record, place);
  const identity = await readIdentity(options.jj, record.repository);
  const outcome = await initJj({ workTree: record.path, branch: record.branch as string, identity, run });
  if (outcome === 'made') return [];
  if (!isRestored) await removePrivateJj(face);
  return [`${NO_JJ}; to use jj, add its directory to sandbox.readable`];
}

const NO_JJ = 'jj is not available inside the sandbox, only git';
