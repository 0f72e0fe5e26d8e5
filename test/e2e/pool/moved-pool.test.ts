import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import type { WorkspaceLease } from '../../../src/pool/workspace-pool.js';
import { type CrashSite, makeCrashSite } from '../../helpers/crash/crash-site.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git } from '../../helpers/repository.js';

/** Where the repository is now. */
function moveRepository({ repository }: CrashSite): string {
  const place = `${repository}-moved`;
  renameSync(repository, place);
  return place;
}

function listPool({ carrel }: CrashSite): string[] {
  const root = join(carrel.cacheDir, 'worktrees', '.pool');
  return existsSync(root) ? (readdirSync(root, { recursive: true }) as string[]) : [];
}

/** What takes long is left to a process in the background. */
const SOON = { timeout: 30_000 };

const pinsOf = (repository: string): string => git(repository, 'for-each-ref', 'refs/carrel/pool');

/** A process that has a slot works in it and is killed. */
async function leaveWork(site: CrashSite, name: string): Promise<void> {
  const program = resolve(import.meta.dirname, '../../fixtures/pool/hold-lease.mjs');
  const child = spawn(process.execPath, [program, git(site.repository, 'rev-parse', 'HEAD')], {
    cwd: site.repository,
    env: site.carrel.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    writeFileSync(join((JSON.parse(line) as WorkspaceLease).path, name), 'work\n');
    break;
  }
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe('the pool of a repository that was moved', () => {
  it.each([['gc', '--yes', '--older-than', '0s'], ['ls'], ['pool', 'status'], ['pool', 'drain']])(
    'is gone after carrel %s %s, with its pins',
    async (...command) => {
      const site = makeCrashSite();
      site.ok('pool', 'warm', '2');
      const repository = moveRepository(site);
      site.carrel.ok(repository, ...command);
      await expect.poll(() => listPool(site), SOON).toEqual([]);
      expect(pinsOf(repository)).toBe('');
    },
  );

  thoroughTest('leaves the work of a lease as a snapshot of the repository', async () => {
    const site = makeCrashSite();
    await leaveWork(site, 'new.txt');
    const repository = moveRepository(site);
    site.carrel.ok(repository, 'gc', '--yes', '--older-than', '0s');
    await expect.poll(() => listPool(site), SOON).toEqual([]);
    expect(pinsOf(repository)).toBe('');
    const list = () => site.carrel.json<Snapshot[]>(repository, 'snapshots');
    await expect.poll(list, SOON).toHaveLength(1);
    expect(git(repository, 'show', `${list()[0]?.commit}:new.txt`)).toBe('work');
  });

  thoroughTest('is repaired when the records are lost as well', async () => {
    const site = makeCrashSite();
    await leaveWork(site, 'new.txt');
    rmSync(site.carrel.stateDir, { recursive: true });
    const repository = moveRepository(site);
    site.carrel.ok(repository, 'doctor', '--repair');
    await expect.poll(() => listPool(site), SOON).toEqual([]);
    expect(pinsOf(repository)).toBe('');
    const list = () => site.carrel.json<Snapshot[]>(repository, 'snapshots');
    await expect.poll(list, SOON).toHaveLength(1);
    expect(git(repository, 'show', `${list()[0]?.commit}:new.txt`)).toBe('work');
  });
});
