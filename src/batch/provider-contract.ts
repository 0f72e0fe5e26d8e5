import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { TaskDescriptor } from '../domain/batch/task-descriptor.js';
import type { CommandResult } from '../domain/command/command.js';
import { systemProcesses } from '../exec/process/process-table.js';
import type { Context } from '../operations/context.js';
import type { IsolationProvider, TaskEnvironment } from './isolation-provider.js';
import { describeQueueing } from './provider-contract-queue.js';

/** A provider under test, with its own directories. */
export interface ProviderSubject {
  /** What Carrel's own providers work with, to look for leftovers; the caller closes it. */
  readonly context?: Context | undefined;
  /** A new provider for that many environments at once. */
  create(parallelism: number): IsolationProvider;
  /** The image of the tasks. */
  readonly image?: string | undefined;
}

/** The context of a test as vitest passes it. Declared here, so that the types of the package need no vitest. */
interface SkippableTest {
  skip(note?: string): never;
}

/** How the contract suite opens a provider. */
export interface ProviderSetup {
  /** Skips the tests when the machine lacks what the provider needs. */
  requires?(context: SkippableTest): void;
  readonly open: () => Promise<ProviderSubject>;
}

/** Test suite for what every isolation provider must guarantee: environments, queueing, order of calls, setup. */
export function providerContract(name: string, { requires, open }: ProviderSetup): void {
  describe(`the provider contract, by ${name}`, () => {
    beforeEach(context => requires?.(context));

    const createOne = async (parallelism = 2) => {
      const subject = await open();
      const provider = subject.create(parallelism);
      onTestFinished(() => provider.destroyAll());
      return { ...subject, provider, task: { ...TASK, image: subject.image } };
    };
    const openProvider = async (parallelism?: number) => {
      const created = await createOne(parallelism);
      expect(await created.provider.init([created.task])).toEqual([]);
      return created;
    };

    describeQueueing({ createOne, openProvider });

    test('a workspace is clean, at its base, and contains nothing else', async () => {
      const { provider, context, task } = await createOne();
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
      await provider.destroyAll();
      if (context) expect(await listLeftovers(context)).toEqual([]);
    }, 60_000);

    test('the patch has all work, and other workspaces do not see it', async () => {
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

    test("an agent's git configuration, attributes and links do not affect Carrel", async () => {
      const { provider, task } = await openProvider();
      const environment = await provider.acquire(task);
      const bait = join(tmpdir(), `carrel-bait-${process.pid}-${Date.now()}`);
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

    test('every process is killed before the files are read or reused', async test => {
      const { provider, context, task } = await openProvider();
      const environment = await provider.acquire(task);
      const hasSetsid = (await run(environment, 'command -v setsid')).exitCode === 0;
      test.skip(!hasSetsid, 'setsid');
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
      if (context) expect(await listLeftovers(context)).toEqual([]);
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

/** Committed, staged, not staged, new, binary, deleted and made executable; and what a patch cannot contain. */
const WORK = `
set -e
echo committed >> a.txt; echo new > new.txt; git add -A
echo forced > forced.log; git add -f forced.log
git -c user.name=x -c user.email=x@x commit -q -m mine
git checkout -q -b elsewhere; echo staged >> a.txt; git add a.txt; echo unstaged >> a.txt
rm gone.txt; chmod +x new.txt; printf '\\0\\001\\377' > binary; ln -s a.txt link
mkdir 'odd name'; echo x > 'odd name/"q"'; echo ignored > ignored.log
git init -q nested 2>/dev/null; echo x > nested/file`;

/** All files that are not ignored, with their content. */
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

/** Pids of living processes with this argument, anywhere on the machine. */
export function findSleepers(seconds: string): string[] {
  const source = systemProcesses();
  const sleepers = [...source.readCommands()].filter(([, command]) => command === `sleep ${seconds}`);
  return sleepers.map(([pid]) => String(pid)).filter(pid => source.find(Number(pid)) !== undefined);
}

/** Everything that later runs do not need. */
export async function listLeftovers({
  store,
  places,
}: Pick<Context, 'places' | 'store'>): Promise<unknown[]> {
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
