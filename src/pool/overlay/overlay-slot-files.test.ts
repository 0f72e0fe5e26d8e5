import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { requireOverlay, unmountBelow } from '../../../test/helpers/pool/overlay.js';
import { clean, describeSlot, look, makeSlot, NO_CACHES } from '../../../test/helpers/pool/overlay-slot.js';
import { commitFiles, git, writeFiles } from '../../../test/helpers/repository.js';
import { isMounted, mountOverlayForReading, unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { evictAllTemplates } from '../../workspace/template/template-eviction.js';
import { describeOverlay } from './overlay-slot-files.js';

beforeEach(requireOverlay);

function makeMess(tree: string): void {
  appendFileSync(join(tree, 'a.txt'), 'edited\n');
  rmSync(join(tree, 'src/c.txt'), { force: true });
  renameSync(join(tree, 'src/deep'), join(tree, 'moved'));
  chmodSync(join(tree, 'run.sh'), 0o755);
  mkdirSync(join(tree, 'build/out'), { recursive: true });
  writeFileSync(join(tree, 'build/out/x.o'), 'object');
  mkdirSync(join(tree, 'nested'));
  git(join(tree, 'nested'), 'init', '--quiet');
  git(tree, 'config', 'core.hooksPath', '/tmp/hooks');
  writeFileSync(join(tree, 'staged.txt'), 'staged\n');
  git(tree, 'add', 'staged.txt');
  git(tree, 'commit', '--quiet', '-m', 'mine');
  git(tree, 'branch', 'left-behind');
}

describe('an overlay slot', () => {
  test('has the files of its commit and an index that git trusts', async () => {
    const { slot, tree } = await makeSlot();
    expect(look(tree)).toEqual(clean(slot));
    expect(readFileSync(join(tree, 'src/deep/b.txt'), 'utf8')).toBe('b\n');
    const index = () => lstatSync(join(slot.directory, 'git/index'), { bigint: true });
    const before = index();
    git(tree, 'status');
    expect(index().ino).toBe(before.ino);
  });

  test("shares its files with others, and none sees another's changes", async () => {
    const { files, slot, tree, root, repository } = await makeSlot();
    const other = describeSlot(root, repository, 'slot_two');
    await files.make(other);
    makeMess(tree);
    expect(look(join(other.directory, 'tree'))).toEqual(clean(slot));
    expect(git(repository, 'status', '--porcelain')).toBe('');
    expect(git(repository, 'branch', '--list', 'left-behind')).toBe('');
  });

  test('that is unchanged stays mounted, and nothing is moved', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    git(tree, 'status');
    const before = lstatSync(tree).dev;
    const found = await files.reset(slot, aside(), NO_CACHES);
    expect(found).toMatchObject({ problem: null, hasWork: false });
    expect(lstatSync(tree).dev).toBe(before);
    expect(existsSync(aside())).toBe(false);
  });

  test('names tool directories that no snapshot holds', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    writeFiles(tree, { '.gitignore': 'node_modules/\n', 'sub/node_modules/by-hand.js': 'x' });
    expect((await files.reset(slot, aside(), NO_CACHES)).dropped).toEqual(['sub/node_modules']);
  });

  test('is clean after a reset, and its old content can be read from what was moved away', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    makeMess(tree);
    const mine = git(tree, 'rev-parse', 'HEAD');
    const found = await files.reset(slot, aside(), NO_CACHES);
    expect(found).toMatchObject({ problem: null, hasWork: true, isPartial: false });
    expect(look(tree)).toEqual(clean(slot));
    expect(git(tree, 'branch', '--list')).not.toContain('left-behind');
    expect(lstatSync(join(tree, 'run.sh')).mode & 0o777).toBe(0o644);
    const target = join(aside(), 'tree');
    await mountOverlayForReading({ lower: found.lower ?? '', upper: join(aside(), 'upper'), target });
    expect(readdirSync(target).sort()).toEqual([
      '.git',
      '.gitignore',
      'a.txt',
      'build',
      'moved',
      'nested',
      'package-lock.json',
      'run.sh',
      'src',
      'staged.txt',
    ]);
    expect(readFileSync(join(target, 'moved/b.txt'), 'utf8')).toBe('b\n');
    expect(readdirSync(join(target, 'src'))).toEqual([]);
    expect(git(aside(), `--git-dir=${join(aside(), 'git')}`, 'rev-parse', 'HEAD')).toBe(mine);
  });

  for (const [what, act] of Object.entries({
    'a file deep in a directory': (tree: string) => writeFileSync(join(tree, 'src/deep/new'), ''),
    'a changed mode of the tree itself': (tree: string) => chmodSync(tree, 0o700),
    'a ref': (tree: string) => git(tree, 'tag', 'mine'),
    'a setting': (tree: string) => git(tree, 'config', 'alias.x', 'status'),
    'a staged change that the files do not show': (tree: string) => {
      writeFileSync(join(tree, 'a.txt'), 'other');
      git(tree, 'add', 'a.txt');
      writeFileSync(join(tree, 'a.txt'), 'a\n');
    },
    'a file that was made and deleted': (tree: string) => {
      writeFileSync(join(tree, 'x'), '');
      rmSync(join(tree, 'x'));
    },
  }))
    test(`does not keep ${what}`, async () => {
      const { files, slot, tree, aside } = await makeSlot();
      const before = lstatSync(tree).mode;
      act(tree);
      expect((await files.reset(slot, aside(), NO_CACHES)).problem).toBeNull();
      expect(look(tree)).toEqual(clean(slot));
      expect(lstatSync(tree).mode).toBe(before);
      expect(readdirSync(join(slot.directory, 'upper'))).toEqual(['.git']);
      expect(git(tree, 'tag')).toBe('');
    });

  test('whose reset was interrupted at any point is brought back by the next, with the work still aside', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    writeFileSync(join(tree, 'work.txt'), 'work');
    await unmountOverlay(tree);
    mkdirSync(aside(), { recursive: true });
    renameSync(join(slot.directory, 'upper'), join(aside(), 'upper'));
    const found = await files.reset(slot, aside(), NO_CACHES);
    expect(found).toMatchObject({ problem: null, hasWork: true });
    await files.reset(slot, aside(), NO_CACHES);
    expect(readFileSync(join(aside(), 'upper/work.txt'), 'utf8')).toBe('work');
    expect(look(tree)).toEqual(clean(slot));
  });

  test('whose new files cannot be made is a problem, and what is aside by then can be read', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    writeFileSync(join(tree, 'work.txt'), 'work');
    const { lower } = await describeOverlay(slot);
    // The draft of what says what it is mounted over can't be written: moved aside by then, and not yet mounted.
    mkdirSync(join(slot.directory, 'overlay.json.carrel'));
    const found = await files.reset(slot, aside(), NO_CACHES);
    expect(found).toMatchObject({ hasWork: true, isPartial: false, lower });
    expect(found.problem).toContain('EISDIR');
    const seen = join(aside(), 'tree');
    await mountOverlayForReading({ lower, upper: join(aside(), 'upper'), target: seen });
    expect(readFileSync(join(seen, 'work.txt'), 'utf8')).toBe('work');
    expect(readFileSync(join(seen, 'a.txt'), 'utf8')).toBe('a\n');
    await unmountOverlay(seen);
  });

  test('whose layers cannot be held for the files to move aside keeps its files', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    writeFileSync(join(tree, 'work.txt'), 'work');
    const { lower } = await describeOverlay(slot);
    const users = join(lower, '../users');
    rmSync(users, { recursive: true });
    writeFileSync(users, '');
    const found = await files.reset(slot, aside(), NO_CACHES);
    expect(found).toMatchObject({ problem: expect.stringContaining('ENOTDIR'), lower });
    expect(existsSync(aside())).toBe(false);
    expect(readFileSync(join(tree, 'work.txt'), 'utf8')).toBe('work');
  });

  test('whose reset was interrupted and of which nothing is known any more has work aside', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    writeFileSync(join(tree, 'work.txt'), 'work');
    const { lower } = await describeOverlay(slot);
    await unmountOverlay(tree);
    mkdirSync(aside(), { recursive: true });
    renameSync(join(slot.directory, 'upper'), join(aside(), 'upper'));
    writeFileSync(join(slot.directory, 'overlay.json'), '');
    const found = await files.reset(slot, aside(), NO_CACHES);
    expect(found).toMatchObject({ hasWork: true, isPartial: false, lower });
    expect(found.problem).not.toBeNull();
  });

  test('without a state file is a problem, and stays unchanged', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    writeFileSync(join(tree, 'work.txt'), 'work');
    writeFileSync(join(slot.directory, 'overlay.json'), '{"lay');
    expect((await files.reset(slot, aside(), NO_CACHES)).problem).toBe('it has no record of its layers');
    expect(readFileSync(join(tree, 'work.txt'), 'utf8')).toBe('work');
  });
});

describe('retargeting', () => {
  test('to the same commit finds the mount, or mounts again when it is gone', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    const { dev } = lstatSync(tree);
    await files.retarget(slot, slot.commit, aside());
    expect(lstatSync(tree).dev).toBe(dev);
    await unmountOverlay(tree);
    await files.retarget(slot, slot.commit, aside());
    expect(look(tree)).toEqual(clean(slot));
    expect(existsSync(aside())).toBe(false);
  });

  test('to a near commit puts what differs into a layer that all share', async () => {
    const { files, slot, tree, root, repository, aside } = await makeSlot();
    rmSync(join(repository, 'src/c.txt'));
    const commit = commitFiles(repository, { 'a.txt': 'second\n', 'src/deep/new.txt': 'new\n' });
    await files.retarget(slot, commit, aside());
    const next = { ...slot, commit };
    expect(look(tree)).toEqual(clean(next));
    expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('second\n');
    const templates = readdirSync(join(root, '.templates/repository'));
    expect(templates.map(name => name.endsWith('-layer')).sort()).toEqual([false, true]);
    makeMess(tree);
    expect(await files.reset(next, aside(), NO_CACHES)).toMatchObject({ problem: null, hasWork: true });
    expect(look(tree)).toEqual(clean(next));
    await files.retarget(next, slot.commit, aside('back'));
    expect(look(tree)).toEqual(clean(slot));
  });

  test('to a distant commit creates a separate tree', async () => {
    const { files, slot, tree, repository, root, aside } = await makeSlot();
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`many/${index}`, `${index}`]));
    const commit = commitFiles(repository, many);
    await files.retarget(slot, commit, aside());
    expect(look(tree)).toEqual(clean({ ...slot, commit }));
    const templates = readdirSync(join(root, '.templates/repository'));
    expect(templates.filter(name => name.endsWith('-layer'))).toEqual([]);
  });
});

test('a slot whose template was lost in a power cut is mounted over an intact one', async () => {
  const { files, slot, tree, root, aside } = await makeSlot();
  writeFileSync(join(tree, 'work.txt'), 'work');
  const template = join((await describeOverlay(slot)).lower, '..');
  unmountBelow(root);
  writeFileSync(join(template, 'boot'), 'another boot');
  truncateSync(join(template, 'tree/a.txt'));
  const found = await files.reset(slot, aside(), NO_CACHES);
  expect(found).toMatchObject({ problem: null, hasWork: true });
  expect(look(tree)).toEqual(clean(slot));
  expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('a\n');
  expect(readFileSync(join(found.lower as string, 'a.txt'), 'utf8')).toBe('a\n');
});

test('a broken template stays for the slots that use it, and others get a new one', async () => {
  const { files, slot, tree, root, repository, aside } = await makeSlot();
  const template = join((await describeOverlay(slot)).lower, '..');
  writeFileSync(join(template, 'boot'), 'another boot');
  utimesSync(join(template, 'tree/a.txt'), 1000, 1000);
  const other = describeSlot(root, repository, 'slot_two');
  await files.make(other);
  expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('a\n');
  expect(look(join(other.directory, 'tree'))).toEqual(clean(other));
  writeFileSync(join(tree, 'work.txt'), 'work');
  await files.reset(slot, aside(), NO_CACHES);
  expect(look(tree)).toMatchObject({ head: slot.commit, status: '' });
});

test('a slot whose template was replaced is mounted again', async () => {
  const { files, slot, tree, aside } = await makeSlot();
  const { lower } = await describeOverlay(slot);
  cpSync(lower, `${lower}-copy`, { recursive: true, preserveTimestamps: true });
  renameSync(lower, `${lower}-former`);
  renameSync(`${lower}-copy`, lower);
  rmSync(`${lower}-former`, { recursive: true });
  expect((await files.reset(slot, aside(), NO_CACHES)).problem).toBeNull();
  expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('a\n');
  expect(git(tree, '--no-optional-locks', 'status', '--porcelain')).toBe('');
});

test('a slot whose owner and mount are gone keeps what was in it', async () => {
  const { files, slot, tree, root, aside } = await makeSlot();
  writeFileSync(join(tree, 'work.txt'), 'work');
  unmountBelow(root);
  expect(readdirSync(tree)).toEqual([]);
  const found = await files.reset(slot, aside(), NO_CACHES);
  expect(found).toMatchObject({ problem: null, hasWork: true });
  expect(readFileSync(join(aside(), 'upper/work.txt'), 'utf8')).toBe('work');
});

test('destroying unmounts and moves the whole directory, and then the template can be removed without a trace', async () => {
  const { files, slot, tree, root, repository, aside } = await makeSlot();
  const place = { root, repositoryId: slot.repositoryId, commonDir: slot.commonDir };
  await evictAllTemplates(testGit(), place);
  expect(look(tree)).toEqual(clean(slot));
  await files.destroy(slot, aside());
  expect(isMounted(tree)).toBe(false);
  expect(existsSync(slot.directory)).toBe(false);
  expect(existsSync(join(aside(), 'upper'))).toBe(true);
  await evictAllTemplates(testGit(), place);
  expect(existsSync(join(root, '.templates'))).toBe(false);
  expect(git(repository, 'for-each-ref', 'refs/carrel')).toBe('');
});

test('the mount of a slot is available as data, for a separate namespace', async () => {
  const { slot, tree } = await makeSlot();
  expect(await describeOverlay(slot)).toEqual({
    lower: expect.stringContaining('/.templates/repository/'),
    upper: join(slot.directory, 'upper'),
    work: join(slot.directory, 'work'),
    target: tree,
    volatile: true,
  });
});
