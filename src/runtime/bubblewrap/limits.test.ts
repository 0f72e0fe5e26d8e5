import { readdirSync, statSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { AS_NOBODY, useBubblewrapPrograms } from '../../../test/helpers/sandbox/bubblewrap-programs.js';
import { makeBubblewrapPlace, NOBODY } from '../../../test/helpers/sandbox/runtime.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { isRoot, requirePart } from '../../../test/parts/required-part.js';
import type { LimitName } from '../../domain/sandbox/runtime-finding.js';
import type { Limits } from '../../domain/sandbox/sandbox.js';
import { openSandbox, textOf } from '../contract/subject.js';
import { GROUPS_FOLDER } from '../limits/cgroup.js';
import { findCgroupPlace } from '../limits/cgroup-place.js';
import { enforceableLimits } from '../limits/enforceable-limits.js';
import { findLimitMeans } from '../limits/limit-means.js';

beforeEach(requireBubblewrap);

const MiB = 1024 ** 2;

const open = (limits: Limits) =>
  openSandbox(
    async () => makeBubblewrapPlace(),
    () => ({ limits }),
  );

describe('a command that', () => {
  test('exceeds its memory limit is killed, and its neighbour is not', async context => {
    needs(context, 'memory');
    const [hog, neighbour] = [await open({ memory: 64 * MiB }), await open({ memory: 64 * MiB })];
    const living = neighbour.script('while [ ! -e enough ]; do sleep 0.02; done; echo fine');
    const result = await hog.script('head -c 300m /dev/zero | tail -c 300m | wc -c');
    expect(result.limit).toBe('memory');
    await neighbour.script('touch enough');
    const other = await living;
    expect(textOf(other)).toBe('fine\n');
    expect(other.limit).toBeUndefined();
    await expectNoGroups(hog.id, neighbour.id);
  });

  test('forks without end stays below its number of processes, and its neighbour can fork', async context => {
    needs(context, 'pids');
    const [bomb, neighbour] = [await open({ pids: 30, time: 3000 }), await open({ pids: 30 })];
    const script = 'bomb() { bomb | bomb & }; bomb; sleep 600';
    const exploding = bomb.script(script, { graceMs: 0 });
    expect(await neighbour.script('for i in 1 2 3 4 5; do sleep 0.1 & done; wait')).toMatchObject({
      exitCode: 0,
    });
    // By its time limit, or because the shell can no longer fork for `sleep`.
    const result = await exploding;
    expect(result).toMatchObject({ limit: 'pids' });
    expect(result.survivors).toBeUndefined();
    await expectNoGroups(bomb.id, neighbour.id);
  });

  test('uses all its allowed processes is not stopped', async context => {
    needs(context, 'pids');
    const { script } = await open({ pids: 6 });
    // The shell and five more.
    const result = await script('for i in 1 2 3 4 5; do sleep 0.2 & done; wait; echo all');
    expect(textOf(result)).toBe('all\n');
    expect(result.limit).toBeUndefined();
    expect(await script('for i in 1 2 3 4 5 6 7; do sleep 0.2 & done; wait')).toMatchObject({
      limit: 'pids',
    });
  });

  thoroughTest('is limited to a part of a processor uses no more', async context => {
    needs(context, 'cpu');
    const { script } = await open({ cpu: 0.2 });
    const busy = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; cat /proc/self/stat > /dev/null; times';
    const result = await script(busy);
    const seconds = /^(\d+)m([\d.]+)s/.exec(textOf(result));
    const used = Number(seconds?.[1]) * 60 + Number(seconds?.[2]);
    expect(used).toBeGreaterThan(0.05);
    expect(result.durationMs / 1000).toBeGreaterThan(used * 2);
  });

  test('writes a file that is too large gets an error', async () => {
    const { directory, script } = await open({ fileSize: MiB });
    expect(await script('head -c 1000000 /dev/zero > fits')).toMatchObject({ exitCode: 0 });
    const result = await script('exec head -c 2000000 /dev/zero > large');
    expect(result).toMatchObject({ limit: 'fileSize' });
    expect(statSync(join(directory, 'large')).size).toBe(MiB);
  });

  test('fills the disk is stopped before it is full', async () => {
    const { script } = await open({ disk: 20 * MiB });
    const fill = 'i=0; while [ $i -lt 2000 ]; do head -c 1000000 /dev/urandom > f$i; i=$((i+1)); done';
    const result = await script(fill, { graceMs: 100 });
    expect(result).toMatchObject({ limit: 'disk', timedOut: false, cancelled: false });
    expect(result.exitCode).not.toBe(0);
  });

  thoroughTest('creates countless files is stopped by the same limit', async () => {
    const { directory, script } = await open({ disk: 4 * MiB });
    const fill = 'i=0; while [ $i -lt 200000 ]; do : > f$i; i=$((i+1)); done';
    const result = await script(fill, { graceMs: 100 });
    expect(result).toMatchObject({ limit: 'disk' });
    expect(readdirSync(directory).length).toBeGreaterThan(1024);
  });

  test('keeps to its limits has none reported', async context => {
    for (const name of ['memory', 'pids', 'cpu'] as const) needs(context, name);
    const limits = { memory: 256 * MiB, pids: 50, cpu: 1, fileSize: MiB, disk: 50 * MiB, time: 60_000 };
    const { id, script } = await open(limits);
    const result = await script('echo x > file; cat file');
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.limit).toBeUndefined();
    await expectNoGroups(id);
  });
});

describe('an ordinary user without control groups', () => {
  const start = useBubblewrapPrograms(AS_NOBODY);

  test('can have a process limit that counts only in the sandbox', async context => {
    requirePart(context, NOBODYS.place === undefined, 'no control groups');
    requirePart(context, NOBODYS.prlimit !== undefined, 'prlimit');
    const program = start(`
      const sandbox = await runtime.open('ws_nproc', { ...policy, limits: { pids: 20 } });
      const fork = count => sandbox.run({
        command: ['sh', '-c', 'for i in $(seq ' + count + '); do sleep 0.5 & done; wait; echo went on'],
      });
      const [few, many] = await Promise.all([fork(15), fork(60)]);
      print('few ' + JSON.stringify(few.stdout + '' + few.stderr));
      print('many ' + JSON.stringify(many.stdout + '' + many.stderr));
    `);
    expect(await program.printed('few')).toBe('"went on\\n"');
    expect(await program.printed('many')).not.toBe('"went on\\n"');
    expect((await program.ended).status).toBe(0);
  });

  test("can't have a memory limit: that is refused, unless best effort is enough", async context => {
    requirePart(context, NOBODYS.place === undefined, 'no control groups');
    const program = start(`
      const limits = { memory: 64 * 1024 ** 2, cpu: 1 };
      await runtime.open('ws_memory', { ...policy, limits }).catch(error => print('refused ' + JSON.stringify(error)));
      const sandbox = await runtime.open('ws_memory', { ...policy, limits, enforcement: 'best-effort' });
      print('status ' + (await sandbox.run({ command: ['true'] })).exitCode);
      print('limits ' + (await runtime.probe()).limits.join());
    `);
    expect(JSON.parse(await program.printed('refused'))).toMatchObject({
      code: 'LIMIT_NOT_ENFORCEABLE',
      details: { limits: ['cpu', 'memory'] },
    });
    expect(await program.printed('status')).toBe('0');
    expect(await program.printed('limits')).toBe('pids,fileSize,disk,time');
  });
});

/** As root sees it: groups of version 1 belong to root, and those of version 2 to the session's user. */
const NOBODYS = {
  place: isRoot ? undefined : findCgroupPlace(),
  prlimit:
    findLimitMeans({ uid: NOBODY, kernel: release() }).prlimit ?? (isRoot ? '/usr/bin/prlimit' : undefined),
};

let enforceable: readonly LimitName[] = [];
beforeAll(() => {
  enforceable = enforceableLimits(findLimitMeans({ uid: 0, kernel: '0' }));
});

function needs(context: TestContext, limit: LimitName): void {
  requirePart(context, enforceable.includes(limit), 'control groups');
}

async function expectNoGroups(...ids: string[]): Promise<void> {
  const place = findCgroupPlace();
  for (const directory of Object.values(place?.directories ?? {})) {
    expect(listOrNothing(join(directory, GROUPS_FOLDER)).filter(name => ids.includes(name))).toEqual([]);
  }
}

function listOrNothing(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
