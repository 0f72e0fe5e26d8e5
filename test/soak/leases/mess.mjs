import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { blobId, git } from './git.mjs';
import { write } from './site.mjs';

/**
 * What an agent may do to a slot, each in a way that leaves something for the next lease if the reset forgets it. What
 * counts as work is passed to `keep` with its git id, as soon as it is on the disk.
 *
 * @typedef {{ path: string, gitDir: string, tag: string, random: () => number, keep: (id: string, what: string) => void }} Scene
 * @type {Record<string, (scene: Scene) => Promise<void> | void>}
 */
const kinds = {
  edit: scene => changeTracked(scene, 'edited', 5),
  append: scene => {
    const content = `${scene.tag} at the end of a script\n`;
    writeFileSync(join(scene.path, 'run.sh'), content);
    scene.keep(blobId(content), 'a rewritten script');
  },
  remove: scene => rmSync(join(scene.path, trackedFile(scene, 6))),
  rename: ({ path }) => renameSync(join(path, 'source/11'), join(path, 'source/renamed')),
  add: scene => addFiles(scene, 'new', 12),
  'add in a new folder with an odd name': scene => addFiles(scene, 'odd \u00f6\n-f', 2),
  ignore: scene => {
    const content = `${scene.tag} is a secret\n`;
    write(scene.path, { [`${scene.tag}.secret`]: content, 'output/deep/er/result.bin': 'x'.repeat(5000) });
    scene.keep(blobId(content), 'an ignored file');
  },
  commit: scene => commitFile(scene, `committed-${scene.tag}.txt`),
  branch: async scene => {
    await git(scene.path, 'checkout', '--quiet', '-b', `mess-${scene.tag}`);
    await commitFile(scene, `on-a-branch-${scene.tag}.txt`);
    if (scene.random() < 0.5) await git(scene.path, 'checkout', '--quiet', '--detach', 'HEAD~1');
  },
  tag: ({ path, tag }) => git(path, 'tag', '-a', `mess-${tag}`, '-m', 'mess'),
  stash: async scene => {
    const file = trackedFile(scene, 7);
    const content = `${scene.tag} goes to the stash\n`;
    write(scene.path, { [file]: content });
    await git(scene.path, 'stash', 'push', '--quiet', '-m', `mess-${scene.tag}`, '--', file);
    scene.keep(blobId(content), 'a stash');
  },
  stage: async scene => {
    const content = `${scene.tag} is staged and then gone\n`;
    write(scene.path, { 'staged.txt': content });
    await git(scene.path, 'add', 'staged.txt');
    rmSync(join(scene.path, 'staged.txt'));
    scene.keep(blobId(content), 'a staged file');
  },
  config: async ({ path, random }) => {
    await git(path, 'config', 'mess.key', 'value');
    const evil = [
      ['status.showUntrackedFiles', 'no'],
      ['core.fileMode', 'false'],
      ['core.hooksPath', '/tmp'],
      ['user.name', 'Mess'],
      ['filter.mess.clean', 'false'],
    ];
    await git(path, 'config', ...evil[Math.floor(random() * evil.length)]);
  },
  hooks: ({ gitDir }) => {
    const hook = '#!/bin/sh\necho leak > leaked-by-a-hook\n';
    mkdirSync(join(gitDir, 'hooks'), { recursive: true });
    for (const name of ['post-checkout', 'post-index-change', 'reference-transaction'])
      writeFileSync(join(gitDir, 'hooks', name), hook, { mode: 0o755 });
  },
  exclude: ({ gitDir }) => {
    mkdirSync(join(gitDir, 'info'), { recursive: true });
    appendFileSync(join(gitDir, 'info/exclude'), '*\n');
  },
  hide: async scene => {
    const file = changeTracked(scene, 'hidden from the index', 8);
    await git(
      scene.path,
      'update-index',
      scene.random() < 0.5 ? '--assume-unchanged' : '--skip-worktree',
      file,
    );
  },
  nest: async scene => {
    const nested = join(scene.path, `nested-${scene.tag}`);
    const content = `${scene.tag} in a repository within\n`;
    mkdirSync(nested);
    await git(nested, 'init', '--quiet', '--initial-branch=main');
    write(nested, { 'inside.txt': content });
    await git(nested, 'add', '.');
    await git(nested, 'commit', '--quiet', '-m', 'within');
    scene.keep(blobId(content), 'a nested repository');
  },
  mode: ({ path }) => {
    chmodSync(join(path, 'source/1/1.txt'), 0o755);
    chmodSync(join(path, 'source/2/2.txt'), 0o400);
    chmodSync(join(path, 'source/3'), 0o555);
  },
  link: ({ path }) => {
    rmSync(join(path, 'source/4'), { recursive: true });
    symlinkSync('/', join(path, 'source/4'));
  },
  'run a program': ({ path }) => start('sleep', ['600'], path),
  'run a program that does not want to end': ({ path }) =>
    start('sh', ['-c', 'trap "" TERM HUP INT; while :; do sleep 1; done'], join(path, 'source')),
};

/** Does a few of them, in a random order. Gives their names. */
export async function makeMess(lease, { tag, random, keep, most = 6 }) {
  const names = Object.keys(kinds);
  const chosen = new Set(
    Array.from(
      { length: Math.floor(random() * (most + 1)) },
      () => names[Math.floor(random() * names.length)],
    ),
  );
  // A stage or commit after a hook or a broken filter would fail for an unrelated reason.
  const order = [...chosen].sort((a, b) => Number(isHindrance(a)) - Number(isHindrance(b)));
  for (const name of order) await kinds[name]({ ...lease, tag, random, keep });
  return order;
}

const isHindrance = name => ['config', 'hooks', 'exclude', 'rename', 'link', 'mode', 'remove'].includes(name);

/**
 * A file that no other kind uses, so that none overwrites another's work: each uses its own folders,
 * and never from those that are renamed, replaced or made read-only.
 */
function trackedFile({ random }, folder) {
  return `source/${folder}/${12 * Math.floor(random() * 24) + folder}.txt`;
}

function changeTracked(scene, how, folder) {
  const file = trackedFile(scene, folder);
  const content = `${scene.tag} ${how} ${file}\n`;
  write(scene.path, { [file]: content });
  scene.keep(blobId(content), `a tracked file that was ${how}`);
  return file;
}

function addFiles(scene, folder, count) {
  for (let index = 0; index < count; index++) {
    const content = `${scene.tag} ${folder} ${index}\n`;
    write(scene.path, { [`${folder}/${index}.txt`]: content });
    scene.keep(blobId(content), 'a new file');
  }
}

async function commitFile(scene, file) {
  const content = `${scene.tag} ${file}\n`;
  write(scene.path, { [file]: content });
  await git(scene.path, 'add', '--force', file);
  await git(scene.path, 'commit', '--quiet', '-m', `mess ${scene.tag}`, '--', file);
  scene.keep(await git(scene.path, 'rev-parse', 'HEAD'), 'a commit');
}

function start(program, args, cwd) {
  spawn(program, args, { cwd, detached: true, stdio: 'ignore' }).unref();
}
