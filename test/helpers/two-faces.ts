import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { runProcess } from '../../src/exec/run.js';
import { INSIDE } from '../../src/runtime/policy.js';
import type { Sandbox, SandboxResult } from '../../src/runtime/runtime.js';
import type { TakeBackLimits } from '../../src/sandbox/incoming/limits.js';
import { emptyFile, insideStore, listBorrowers, listObjectStores } from '../../src/sandbox/object-stores.js';
import { type SandboxPlace, sandboxPlace } from '../../src/sandbox/place.js';
import { createPrivateFace } from '../../src/sandbox/private-face.js';
import { type TakeBackResult, takeBack } from '../../src/sandbox/take-back.js';
import { git, makeRepository } from './repository.js';
import { requirePart } from './required-part.js';
import { tempDir } from './temp.js';
import { testGit } from './test-git.js';

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
  readonly exec: Sandbox['exec'];
  /** Runs a shell script inside; fails when it does. */
  inside(script: string): Promise<string>;
  /** How it went, whatever it was. */
  try(script: string): Promise<SandboxResult>;
  takeBack(options?: {
    limits?: Partial<TakeBackLimits>;
    exec?: Sandbox['exec'];
    signal?: AbortSignal;
  }): Promise<TakeBackResult>;
  /** What the branch stands at in the repository. */
  tip(): string;
}

export async function makeTwoFaces(context: TestContext, repository = makeRepository()): Promise<TwoFaces> {
  requirePart(context, existsSync('/usr/bin/bwrap'), 'bubblewrap');
  const root = tempDir();
  const path = join(root, 'worktree');
  const commonDir = join(repository, '.git');
  git(repository, 'worktree', 'add', '--quiet', '-b', BRANCH, path);
  const adminDir = readFileSync(join(path, '.git'), 'utf8').trim().slice('gitdir: '.length);
  const base = git(path, 'rev-parse', 'HEAD');
  const place = sandboxPlace(join(root, 'state'), WORKSPACE);
  await createPrivateFace({ git: testGit(), place, commonDir, adminDir, branch: BRANCH, commit: base });
  const exec = await createExec(commonDir, path, place);
  const attempt = (script: string) => exec({ command: ['sh', '-c', script] });
  return {
    repository,
    commonDir,
    adminDir,
    path,
    place,
    base,
    exec,
    try: attempt,
    inside: async script => {
      const { exitCode, stdout, stderr } = await attempt(`set -e\n${script}`);
      if (exitCode !== 0) throw new Error(`status ${exitCode} inside: ${stderr}${stdout}`);
      return stdout.toString('utf8').trimEnd();
    },
    takeBack: options =>
      takeBack({
        git: testGit(),
        place,
        commonDir,
        workspaceId: WORKSPACE,
        branch: BRANCH,
        base,
        exec,
        ...options,
      }),
    tip: () => git(repository, 'rev-parse', BRANCH),
  };
}

async function createExec(commonDir: string, path: string, place: SandboxPlace): Promise<Sandbox['exec']> {
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
