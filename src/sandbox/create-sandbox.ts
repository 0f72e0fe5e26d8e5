import { mkdir } from 'node:fs/promises';
import { carrelError } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { readIdentity } from '../jj/identity.js';
import { isInJj } from '../workspace/tell-jj.js';
import { initJj } from './init-jj.js';
import { introduceUser } from './introduce-user.js';
import { createJjFace, hasJj, removeJjFace } from './jj-face.js';
import type { SandboxPlace } from './place.js';
import { createPrivateFace } from './private-face.js';
import { requireSettings } from './require-settings.js';
import type { SandboxesOptions } from './sandboxes.js';

/** Makes what the sandbox of a new workspace needs. Gives warnings. */
export async function createSandbox(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<string[]> {
  const warnings = await createParts(options, record, place);
  await tryOut(options, record, place);
  return warnings;
}

/** A container is started now: what its image lacks is better known before the workspace is there. SANDBOX_REFUSED. */
async function tryOut(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<void> {
  if (!options.runtimes[record.runtime].capabilities.longLived) return;
  const { exec } = await options.open(record, place);
  const needed = record.commonDir === null ? 'sh' : 'git';
  const { exitCode } = await exec({ command: ['sh', '-c', `command -v ${needed} >/dev/null`] });
  if (exitCode === 0) return;
  const problem = `there is no ${needed} in its image`;
  throw carrelError('SANDBOX_REFUSED', { runtime: record.runtime, problem });
}

async function createParts(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<string[]> {
  await mkdir(place.home, { recursive: true, mode: 0o700 });
  await mkdir(place.proxyDir, { recursive: true, mode: 0o700 });
  if (requireSettings(record).git === 'surgical') return createSurgical(options, record, place);
  const workTree = options.workTreeOf(record);
  if (!workTree) return [];
  await createPrivateFace({
    git: options.git,
    place,
    commonDir: workTree.commonDir,
    adminDir: workTree.gitDir,
    branch: record.branch as string,
    commit: record.base.commit as string,
  });
  const { commonDir } = workTree;
  await introduceUser({ ...options, ...place, repository: record.repository, commonDir, usesJj: false });
  return (await isInJj(record)) ? createJj(options, record, place) : [];
}

async function createSurgical(
  { git, jj }: SandboxesOptions,
  { repository, commonDir, backend }: WorkspaceRecord,
  { home }: SandboxPlace,
): Promise<string[]> {
  if (commonDir === null) return [];
  await introduceUser({ git, jj, home, repository, commonDir, usesJj: backend === 'jj' });
  return [];
}

/** What the user works with is what the agent finds; where that can't be had it is git alone, and told. */
async function createJj(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<string[]> {
  const face = { place, workTree: record.path };
  const isRestored = await hasJj(place);
  await createJjFace(face);
  const { exec } = await options.open(record, place);
  const identity = await readIdentity(options.jj, record.repository);
  const outcome = await initJj({ workTree: record.path, branch: record.branch as string, identity, exec });
  if (outcome === 'made') return [];
  if (!isRestored) await removeJjFace(face);
  return ['there is no jj inside the sandbox, only git; name its directory in sandbox.readable to have it'];
}
