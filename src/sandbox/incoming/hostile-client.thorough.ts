import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { watchMemory } from '../../../test/helpers/machine/memory.js';
import { git } from '../../../test/helpers/repository.js';
import {
  claimCommit,
  command,
  formatPack,
  formatPush,
  type HostilePush,
  makeHostilePush,
  receivePlainly,
  runInstead,
} from '../../../test/helpers/sandbox/hostile-push.js';
import { makeTwoFaces, type TwoFaces, WORKSPACE } from '../../../test/helpers/sandbox/two-faces.js';

const ZERO = '0'.repeat(40);
const EMPTY_PACK = formatPack([]);

interface Attack {
  readonly faces: TwoFaces;
  readonly push: HostilePush;
  /** A valid commit. */
  readonly commit: string;
}

async function prepare(context: Parameters<typeof makeTwoFaces>[0]): Promise<Attack> {
  const faces = await makeTwoFaces(context);
  git(faces.repository, 'tag', 'v1');
  git(faces.repository, 'update-ref', `refs/carrel/workspaces/${WORKSPACE}/base`, faces.base);
  git(faces.repository, 'branch', 'carrel/a-sibling');
  const push = makeHostilePush(faces);
  const commit = push.commit(push.tree([['100644', 'f', push.blob('x'.repeat(5000))]]));
  return { faces, push, commit };
}

const allRefs = (faces: TwoFaces): string =>
  git(faces.repository, 'for-each-ref') + fingerprint(faces.repository).head;

const otherRefs = [
  'refs/heads/main',
  'refs/tags/v1',
  'refs/tags/new',
  'refs/replace/REPLACED',
  `refs/carrel/workspaces/${WORKSPACE}/base`,
  'refs/heads/carrel/a-sibling',
  'refs/heads/carrel',
  'refs/notes/commits',
];

test.for(otherRefs)('%s is not moved when a client names it', async (name, context) => {
  const { faces, push, commit } = await prepare(context);
  const ref = name.replace('REPLACED', faces.base);
  const old = git(faces.repository, 'for-each-ref', '--format=%(objectname)', ref).split('\n')[0] || ZERO;
  const before = allRefs(faces);
  const bytes = formatPush([command(old, commit, ref)], push.pack(commit));
  expect(await push.send(bytes)).toMatchObject({ outcome: 'refused' });
  expect(allRefs(faces)).toBe(before);
  if (ref !== 'refs/heads/carrel') expect(receivePlainly(faces, bytes, ref), 'the control').toBe(commit);
});

test('HEAD stays, and so does its target', async context => {
  const { faces, push, commit } = await prepare(context);
  const before = allRefs(faces);
  const bytes = formatPush([command(faces.base, commit, 'HEAD')], push.pack(commit));
  await push.send(bytes);
  expect(git(faces.repository, 'rev-parse', 'main')).toBe(faces.base);
  expect(allRefs(faces).replaceAll(commit, faces.base)).toBe(before);
  // There is no control: no receive-pack takes a name without a folder.
});

test('of several refs only the expected one counts', async context => {
  const { faces, push, commit } = await prepare(context);
  const main = git(faces.repository, 'rev-parse', 'main');
  const commands = [
    command(main, commit, 'refs/heads/main'),
    command(faces.base, commit),
    command(ZERO, commit, 'refs/tags/t'),
  ];
  expect(await push.send(formatPush(commands, push.pack(commit)))).toMatchObject({
    outcome: 'imported',
    to: commit,
  });
  expect(git(faces.repository, 'rev-parse', 'main')).toBe(main);
  expect(git(faces.repository, 'tag')).toBe('v1');
});

test.for([
  ['..', 'refs/heads/../../config'],
  ['a line break', 'refs/heads/carrel/a\nrefs/heads/main'],
  ['.lock', 'refs/heads/carrel/a.lock'],
  ['nothing', ''],
  ['no folder', 'config'],
] as const)('a ref name with %s is refused', async ([, ref], context) => {
  const { faces, push, commit } = await prepare(context);
  const before = allRefs(faces);
  const result = await push.send(formatPush([command(faces.base, commit, ref)], push.pack(commit)));
  expect(result).toMatchObject({ outcome: 'refused' });
  expect(allRefs(faces)).toBe(before);
});

test('a false old value and a deletion are refused', async context => {
  const { faces, push, commit } = await prepare(context);
  const stale = await push.send(formatPush([command(commit, commit)], push.pack(commit)));
  expect(stale).toMatchObject({ outcome: 'refused' });
  const deletion = await push.send(formatPush([command(faces.base, ZERO)], Buffer.alloc(0)));
  expect(deletion).toMatchObject({ outcome: 'refused' });
  expect(faces.tip()).toBe(faces.base);
});

test.for([
  ['that lacks a needed object', (pack: Buffer) => (pack.length > 0 ? EMPTY_PACK : pack)],
  ['that is truncated', (pack: Buffer) => pack.subarray(0, pack.length - 30)],
  ['with a false count', (pack: Buffer) => withCount(pack, 0x7fffffff)],
  ['with a count that is too small', (pack: Buffer) => withCount(pack, 1)],
  ['with garbage in it', (pack: Buffer) => Buffer.concat([pack.subarray(0, 40), Buffer.alloc(100, 7)])],
  ['that is not a pack', () => Buffer.from('not a pack at all')],
] as const)('a pack %s is refused', async ([, spoil], context) => {
  const { faces, push, commit } = await prepare(context);
  const whole = push.pack(commit);
  const result = await push.send(formatPush([command(faces.base, commit)], spoil(whole)), {
    limits: { timeMs: 3000 },
  });
  expect(result).toMatchObject({ outcome: 'refused' });
  expect(faces.tip()).toBe(faces.base);
  expect(git(faces.repository, 'fsck', '--strict', '--no-dangling')).toBe('');
  expect(await push.push(commit), 'the control').toMatchObject({ outcome: 'imported' });
});

test('garbage after a pack is ignored', async context => {
  const { push, commit, faces } = await prepare(context);
  const pack = Buffer.concat([push.pack(commit), Buffer.from('0000garbage'.repeat(1000))]);
  await push.send(formatPush([command(faces.base, commit)], pack));
  expect([faces.base, commit]).toContain(faces.tip());
  expect(git(faces.repository, 'fsck', '--strict', '--no-dangling')).toBe('');
});

test('a pack that is larger than allowed is refused with a reason', async context => {
  const { push, faces } = await prepare(context);
  const noise = Buffer.from(Array.from({ length: 20_000 }, (_, at) => (at * 7919) % 251));
  const commit = push.commit(push.tree([['100644', 'f', push.blob(noise)]]));
  const result = await push.push(commit, { limits: { packBytes: 200 } });
  expect(result).toMatchObject({
    outcome: 'refused',
    problems: [expect.stringMatching(/maximum allowed size/)],
  });
  expect(faces.tip()).toBe(faces.base);
  expect(await push.push(commit, { limits: { packBytes: 100_000 } }), 'the control').toMatchObject({
    outcome: 'imported',
  });
});

const BOMB_BYTES = 400 * 1024 ** 2;
const MOST_MEMORY = 64 * 1024 ** 2;

test('four hundred megabytes of zeros cost hardly any memory', async context => {
  const { push, faces } = await prepare(context);
  const commit = push.commit(push.tree([['100644', 'zeros', push.zeros(BOMB_BYTES)]]));
  const memory = watchMemory();
  const result = await push.push(commit);
  const peak = memory.stop();
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(MOST_MEMORY);
  expect(result).toMatchObject({
    outcome: 'refused',
    problems: [expect.stringMatching(/"zeros" of .* has more than/)],
  });
  expect(faces.tip()).toBe(faces.base);
});

test('a delta that expands to four hundred megabytes takes hardly any memory', async context => {
  const { push, faces, commit } = await prepare(context);
  const base = Buffer.alloc(0xffffff);
  const target = packedObject(3, base);
  const delta = packedDelta(target.length, base.length, BOMB_BYTES);
  const memory = watchMemory();
  const result = await push.send(formatPush([command(faces.base, commit)], formatPack([target, delta])));
  const peak = memory.stop();
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(MOST_MEMORY);
  expect(result).toMatchObject({ outcome: 'refused', problems: [expect.stringMatching(/allocate/)] });
});

test.for([
  ['says nothing', 'sleep 600'],
  ['never ends', 'cat /dev/zero'],
  ['says half a line and waits', 'printf 00a; sleep 600'],
  ['does not listen', 'exec 0<&-; sleep 600'],
] as const)('a client that %s times out', async ([, script], context) => {
  const { faces } = await prepare(context);
  claimCommit(faces, '1'.repeat(40));
  const result = await faces.importFromSandbox({ run: runInstead(script), limits: { timeMs: 1500 } });
  expect(result.outcome).toBe('refused');
  expect(faces.tip()).toBe(faces.base);
});

test('a client that exits at once is distinguished from one that has nothing', async context => {
  const { faces } = await prepare(context);
  claimCommit(faces, '1'.repeat(40));
  expect(await faces.importFromSandbox({ run: runInstead('exit 3') })).toMatchObject({ outcome: 'refused' });
  writeFileSync(join(faces.place.gitDir, 'HEAD'), 'nothing plain\n');
  const nothing = { run: runInstead('printf 0000; cat >/dev/null') };
  expect(await faces.importFromSandbox(nothing)).toEqual({ outcome: 'unchanged', tip: faces.base });
});

test('cancelling reports the cancellation and leaves nothing behind', async context => {
  const { faces } = await prepare(context);
  claimCommit(faces, '1'.repeat(40));
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  await expect(faces.importFromSandbox({ run: runInstead('sleep 600'), signal })).rejects.toBe(reason);
  expect(faces.tip()).toBe(faces.base);
});

function withCount(pack: Buffer, count: number): Buffer {
  const copy = Buffer.from(pack);
  copy.writeUInt32BE(count, 8);
  return copy;
}

/** Type and size in seven bits, then four and seven more as long as there are any. */
function objectHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

const packedObject = (type: number, content: Buffer): Buffer =>
  Buffer.concat([objectHead(type, content.length), deflateSync(content)]);

/** An offset delta on the object right before it that copies all of that again and again. */
function packedDelta(distance: number, baseSize: number, size: number): Buffer {
  const copies = Array.from({ length: Math.ceil(size / baseSize) }, () => [
    0x80 | 0x70,
    0xff,
    0xff,
    0xff,
  ]).flat();
  const total = Math.ceil(size / baseSize) * baseSize;
  const content = Buffer.from([...varint(baseSize), ...varint(total), ...copies]);
  return Buffer.concat([objectHead(6, content.length), offset(distance), deflateSync(content)]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}

function offset(distance: number): Buffer {
  const bytes = [distance & 127];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift((rest & 127) | 128);
  }
  return Buffer.from(bytes);
}
