import { execFileSync } from 'node:child_process';
import { requireFiles, requireGone } from '../repository/proof.mjs';
import { childEnvironment } from '../system/process.mjs';

/** Other tools that make worktrees, with the words that each of them needs. Measured when they are installed. */
const peers = [
  {
    name: 'wt',
    create: name => ['wt', 'switch', '--create', name, '--yes'],
    remove: name => ['wt', 'remove', '--yes', '--force', '--force-delete', name],
  },
  // Opens a shell in a worktree of its pool; there is no command that only makes or only removes one.
  { name: 'treehouse' },
  {
    name: 'phantom',
    create: name => ['phantom', 'create', name],
    remove: name => ['phantom', 'delete', '--force', name],
  },
  {
    name: 'gtr',
    probe: ['git', 'gtr', '--version'],
    create: name => ['git', 'gtr', 'new', name, '--from-current', '--no-fetch', '--yes'],
    remove: name => ['git', 'gtr', 'rm', name, '--force', '--delete-branch', '--yes'],
  },
];

const isInstalled = ({ name, probe = [name, '--version'] }) => {
  try {
    execFileSync(probe[0], probe.slice(1), { stdio: 'ignore', env: childEnvironment(), timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
};

const present = peers.filter(isInstalled);

export const absentPeers = peers.filter(peer => !present.includes(peer)).map(({ name }) => name);

const measured = present.filter(peer => peer.create);

export const peerRows = measured.flatMap(({ name }) => [
  { group: 'create', name: `${name}, create`, by: name },
  { group: 'remove', name: `${name}, remove`, by: name },
]);

/** They all make ordinary worktrees on a branch of the name, which is how the files are found. */
export function peerContestants(scene, size) {
  return measured.map(({ name, create, remove }) => ({
    name,
    turn: async (round, watch) => {
      const branch = `${name}-${round}`;
      const find = () => findWorktree(scene, branch);
      await watch.time(
        `${name}, create`,
        scene.settle,
        () => scene.run(...create(branch)),
        async () => requireFiles(await find(), size),
      );
      const path = await find();
      await watch.time(
        `${name}, remove`,
        scene.settle,
        () => scene.run(...remove(branch)),
        () => requireGone(path),
      );
    },
  }));
}

async function findWorktree(scene, branch) {
  const list = await scene.askGit('worktree', 'list', '--porcelain');
  const entry = list.split('\n\n').find(lines => lines.includes(`branch refs/heads/${branch}`));
  if (!entry) throw new Error(`no worktree has the branch ${branch}`);
  return /^worktree (.*)$/m.exec(entry)[1];
}
