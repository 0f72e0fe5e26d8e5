import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { CommandResult } from '../../../src/domain/command/command.js';
import { runProcess } from '../../../src/exec/run-process.js';
import { INSIDE } from '../../../src/runtime/policy.js';
import type { Sandbox } from '../../../src/runtime/runtime.js';
import { type ImportResult, importFromSandbox } from '../../../src/sandbox/exchange/import-from-sandbox.js';
import type { ImportLimits } from '../../../src/sandbox/incoming/import-limits.js';
import {
  emptyFile,
  insideStore,
  listBorrowers,
  listObjectStores,
} from '../../../src/sandbox/policy/object-stores.js';
import { createPrivateGit } from '../../../src/sandbox/private-git/create-private-git.js';
import { type SandboxPlace, sandboxPlace } from '../../../src/sandbox/sandbox-place.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';
import { testGit } from '../git/test-git.js';
import { git, makeRepository } from '../repository.js';
import { tempDir } from '../temp.js';

export const WORKSPACE = 'ws_twofaces00000000';
export const BRANCH = 'carrel/a';

/** A worktree with its two faces: git outside as everybody has it, git inside as the agent has it. */
export interface TwoFaces {
  readonly repository: string;
  readonly commonDir: string;
  readonly adminDir: string;
  readonly path: string;
  readonly place: SandboxPlace;
  readonly base: string;
  /** Runs a program inside, in the mounts that the policy has. */
  readonly run: Sandbox['run'];
  /** Runs a shell script inside; fails when it does. */
  inside(script: string): Promise<string>;
  /** How it went, whatever it was. */
  try(script: string): Promise<CommandResult>;
  importFromSandbox(options?: {
    limits?: Partial<ImportLimits>;
    run?: Sandbox['run'];
    signal?: AbortSignal;
  }): Promise<ImportResult>;
  /** What the branch stands at in the repository. */
  tip(): string;
}

export async function makeTwoFaces(context: TestContext, repository = makeRepository()): Promise<TwoFaces> {
  requireBubblewrap(context);
  const root = tempDir();
  const path = join(root, 'worktree');
  const commonDir = join(repository, '.git');
  git(repository, 'worktree', 'add', '--quiet', '-b', BRANCH, path);
  const adminDir = readFileSync(join(path, '.git'), 'utf8').trim().slice('gitdir: '.length);
  const base = git(path, 'rev-parse', 'HEAD');
  const place = sandboxPlace(join(root, 'state'), WORKSPACE);
  await createPrivateGit({ git: testGit(), place, commonDir, adminDir, branch: BRANCH, commit: base });
  const run = await createRun(commonDir, path, place);
  const attempt = (script: string) => run({ command: ['sh', '-c', script] });
  return {
    repository,
    commonDir,
    adminDir,
    path,
    place,
    base,
    run,
    try: attempt,
    inside: async script => {
      const { exitCode, stdout, stderr } = await attempt(`set -e\n${script}`);
      if (exitCode !== 0) throw new Error(`status ${exitCode} inside: ${stderr}${stdout}`);
      return stdout.toString('utf8').trimEnd();
    },
    importFromSandbox: options =>
      importFromSandbox({
        git: testGit(),
        place,
        commonDir,
        workspaceId: WORKSPACE,
        branch: BRANCH,
        base,
        run,
        ...options,
      }),
    tip: () => git(repository, 'rev-parse', BRANCH),
  };
}

async function createRun(commonDir: string, path: string, place: SandboxPlace): Promise<Sandbox['run']> {
  const stores = await listObjectStores(commonDir);
  const borrowers = await listBorrowers(stores);
  const flags = [
    '--unshare-all --die-with-parent --clearenv --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib',
    '--symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --tmpfs /run --dir /home/agent',
    '--setenv PATH /usr/bin:/bin --setenv HOME /home/agent',
  ].flatMap(line => line.split(' '));
  const binds = [
    ...stores.flatMap((store, at) => ['--ro-bind', store, insideStore(at)]),
    ...borrowers.flatMap(at => ['--ro-bind', emptyFile(place), `${insideStore(at)}/info/alternates`]),
    ...['--bind', path, path, '--bind', place.gitDir, INSIDE.git],
    ...['--ro-bind', place.pointerFile, join(path, '.git'), '--chdir', path],
  ];
  return ({ command, environment = {}, ...rest }) => {
    const variables = Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]);
    const args = [...flags, ...binds, ...variables, '--', ...command];
    return runProcess({ command: '/usr/bin/bwrap', args, cwd: '/', env: {}, ...rest });
  };
}
