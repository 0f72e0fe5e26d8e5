import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import type { Context } from '../operations/context.js';
import type { CommandResult } from '../operations/run-command.js';
import type { IsolationProvider, TaskDescriptor, TaskEnvironment } from './isolation-provider.js';

export interface ProviderSubject {
  /** An application with directories of its own; the caller closes it. */
  readonly context: Context;
  create(): IsolationProvider;
  /** Of the tasks. */
  readonly image?: string | undefined;
}

export interface ProviderSetup {
  /** Skips the tests where the machine lacks what the provider needs. */
  readonly requires?: ((context: TestContext) => void) | undefined;
  readonly open: () => Promise<ProviderSubject>;
}

/** What every provider promises to the batch, as a test suite. */
export function describeProvider(name: string, { requires, open }: ProviderSetup): void {
  describe(`the provider contract, by ${name}`, () => {
    beforeEach(context => requires?.(context));

    const openProvider = async () => {
      const subject = await open();
      const provider = subject.create();
      onTestFinished(() => provider.destroyAll());
      return { ...subject, provider, task: { ...TASK, image: subject.image } };
    };

    test('a workspace is clean, at its base, and knows of nothing else', async () => {
      const { provider, context, task } = await openProvider();
      expect(await provider.init([task, BROKEN])).toMatchObject([{ taskId: BROKEN.id }]);
      const environment = await provider.acquire(task);
      expect(await sh(environment, LOOK)).toBe(
        [
          ...[
            'head',
            environment.commit,
            'status',
            'files',
            '.gitignore',
            'a.txt',
            'b/run.sh',
            'gone.txt',
            'kept.log',
          ],
          ...['run', 'remotes', 'commits', environment.commit, 'objects', '8', 'value', 'given', 'in'],
          environment.workingDirectory,
        ].join('\n'),
      );
      expect(provider.getStats()).toMatchObject({ total: 1, inUse: 1, acquired: 1 });
      await provider.release(environment);
      await expect(provider.release(environment)).rejects.toMatchObject({ code: 'STALE_LEASE' });
      await provider.destroyAll();
      await provider.destroyAll();
      await expect(provider.acquire(task)).rejects.toMatchObject({ code: 'POOL_CLOSED' });
      expect(await listLeftovers(context)).toEqual([]);
    }, 60_000);

    test('the patch has all that was done, and none of it is seen by others', async () => {
      const { provider, task } = await openProvider();
      const [one, other] = await Promise.all([provider.acquire(task), provider.acquire(task)]);
      expect(await one.collectPatch()).toEqual({ patch: Buffer.alloc(0), skipped: [] });
      expect(await sh(one, WORK)).toBe('');
      await one.endAll();
      const { patch, skipped } = await one.collectPatch();
      expect(skipped).toEqual(['nested']);
      const done = await sh(one, `rm -rf nested; ${TREE}`);
      expect(await sh(other, 'git status --porcelain --ignored; ls')).toBe('a.txt\nb\ngone.txt\nkept.log');
      await provider.release(one);
      const fresh = await provider.acquire(task);
      expect(await sh(fresh, 'git status --porcelain --ignored; git rev-list --all --reflog')).toBe(
        fresh.commit,
      );
      await fresh.writeFile('the.patch', patch);
      await sh(fresh, 'git apply --binary the.patch && rm the.patch');
      expect(await sh(fresh, TREE)).toBe(done);
      expect(await sh(fresh, 'cat a.txt; test -x new.txt && wc -c < binary')).toBe(
        'a\ncommitted\nstaged\nunstaged\n3',
      );
      expect((await fresh.collectPatch()).patch.equals(patch)).toBe(true);
      await provider.reset(fresh);
      expect(await sh(fresh, 'git status --porcelain --ignored')).toBe('');
    }, 60_000);

    test('what an agent makes of its git, attributes and links steers nothing of ours', async () => {
      const { provider, context, task } = await openProvider();
      const environment = await provider.acquire(task);
      const bait = join(context.places.cacheDir, 'bait');
      await sh(environment, HOSTILE.replaceAll('BAIT', bait));
      await environment.endAll();
      const { patch } = await environment.collectPatch();
      expect(patch.toString('utf8')).toContain('+changed');
      expect(existsSync(bait)).toBe(false);
      await expect(environment.writeFile('out/stolen.txt', Buffer.from('x'))).rejects.toMatchObject({
        code: 'UNSAFE_PATH',
      });
      await expect(environment.writeFile('../up.txt', Buffer.from('x'))).rejects.toMatchObject({
        code: 'UNSAFE_PATH',
      });
      expect(await environment.readFile('link', 100_000)).toBeUndefined();
      expect(await environment.readFile('out/passwd', 100_000)).toBeUndefined();
      expect(await environment.readFile('a.txt', 3)).toBeUndefined();
      expect((await environment.readFile('a.txt', 100))?.toString()).toBe('changed\n');
      await environment.writeFile('link', Buffer.from('#!/bin/sh\necho mine\n'), { executable: true });
      expect(await sh(environment, './link')).toBe('mine');
      const { path } = await provider.release(environment, { keep: true });
      expect(readFileSync(join(path as string, 'a.txt'), 'utf8')).toBe('changed\n');
      expect(existsSync(join(path as string, '.git'))).toBe(false);
      expect(readFileSync('/etc/passwd', 'utf8')).not.toContain('mine');
    }, 60_000);

    test('whatever was started is dead before its files are looked at or given to others', async () => {
      const { provider, context, task } = await openProvider();
      const environment = await provider.acquire(task);
      const [first, second] = [`1${Date.now()}`, `2${Date.now()}`];
      const start = (seconds: string) => `nohup setsid env -i sleep ${seconds} </dev/null >/dev/null 2>&1 &`;
      await run(environment, start(first), { endsLeftovers: false });
      await environment.endAll();
      expect(findSleepers(first)).toEqual([]);
      await run(environment, start(second));
      expect(findSleepers(second)).toEqual([]);
      const stopped = await run(environment, `trap '' TERM; sleep ${first}; sleep ${first}`, {
        timeoutMs: 300,
      });
      expect(stopped).toMatchObject({ timedOut: true });
      expect(findSleepers(first)).toEqual([]);
      await run(environment, start(second), { endsLeftovers: false });
      await provider.destroyAll();
      expect(findSleepers(second)).toEqual([]);
      expect(await listLeftovers(context)).toEqual([]);
    }, 60_000);
  });
}

export const TASK: TaskDescriptor = {
  id: 'the-task',
  base: {
    kind: 'files',
    files: {
      'a.txt': 'a\n',
      'gone.txt': 'gone\n',
      'b/run.sh': '#!/bin/sh\necho run\n',
      '.gitignore': '*.log\n',
      'kept.log': 'kept\n',
    },
    executable: ['b/run.sh'],
  },
  environment: { GIVEN: 'given' },
};

const BROKEN: TaskDescriptor = { id: 'broken', base: { kind: 'directory', directory: '/nonexistent' } };

const LOOK = `
echo head; git rev-parse HEAD
echo status; git status --porcelain --ignored
echo files; git ls-files; b/run.sh
echo remotes; git remote
echo commits; git rev-list --all --reflog
echo objects; git cat-file --batch-all-objects --batch-check | wc -l
echo value; echo $GIVEN
echo in; pwd`;

/** Committed, staged, not staged, new, binary, deleted and made executable; and what no patch can hold. */
const WORK = `
set -e
echo committed >> a.txt; echo new > new.txt; git add -A
echo forced > forced.log; git add -f forced.log
git -c user.name=x -c user.email=x@x commit -q -m mine
git checkout -q -b elsewhere; echo staged >> a.txt; git add a.txt; echo unstaged >> a.txt
rm gone.txt; chmod +x new.txt; printf '\\0\\001\\377' > binary; ln -s a.txt link
mkdir 'odd name'; echo x > 'odd name/"q"'; echo ignored > ignored.log
git init -q nested 2>/dev/null; echo x > nested/file`;

/** All files that are not ignored, and what is in them. */
const TREE = 'if test -f forced.log; then git add -f forced.log; fi; git add -A; git write-tree';

const HOSTILE = `
echo changed > a.txt
git config filter.bad.clean 'touch BAIT'; git config core.fsmonitor 'touch BAIT'
git config diff.external 'touch BAIT'; git config core.excludesFile $PWD/all
echo '*' > all; echo '* filter=bad diff=bad' > .gitattributes
git config core.worktree /; git update-index --assume-unchanged a.txt
ln -s /etc/passwd link; ln -s /etc out
rm -f BAIT`;

async function sh(environment: TaskEnvironment, script: string): Promise<string> {
  const { exitCode, stdout, stderr } = await run(environment, script);
  if (exitCode !== 0) throw new Error(`exit status ${exitCode}: ${stderr}`);
  return stdout.toString('utf8').trim();
}

const run = (
  environment: TaskEnvironment,
  script: string,
  options: { readonly endsLeftovers?: boolean; readonly timeoutMs?: number } = {},
): Promise<CommandResult> => environment.run({ command: ['sh', '-c', script], ...options });

/** Pids of living processes with this argument, wherever they are. */
export function findSleepers(seconds: string): string[] {
  return readdirSync('/proc').filter(pid => {
    try {
      const isDead = /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
      return !isDead && readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  });
}

/** Everything that later runs have no use for. */
export async function listLeftovers({ store, places }: Context): Promise<unknown[]> {
  const list = (directory: string) => (existsSync(directory) ? readdirSync(directory) : []);
  return [
    ...(await store.slots.list()).slots,
    ...(await store.workspaces.list()),
    ...(await store.snapshots.list()),
    ...(await store.remains.list()),
    ...(await store.journal.list()),
    ...list(join(places.cacheDir, 'worktrees')),
    ...list(join(places.cacheDir, 'eval')).filter(name => !EXPECTED.includes(name)),
    ...list(join(places.cacheDir, 'eval', 'desks')),
    ...list(join(places.stateDir, 'sandboxes')).filter(name => name !== '.runtime'),
  ];
}

const EXPECTED = ['bases', 'desks', 'kept', 'mirrors'];
