import { toFigures } from '../timing/figure.mjs';
import { interleave } from '../timing/interleave.mjs';

const STATUSES = 'git status in each';
const LIST = 'git worktree list';

const rows = [
  { group: 'list', name: STATUSES },
  { group: 'list', name: 'carrel ls --json', reference: STATUSES },
  { group: 'list', name: LIST },
  { group: 'list', name: 'carrel ls --json --fast', reference: LIST },
];

/** One `git status` in each is the minimum for an accurate listing. */
export async function measureListing({ size, repeats, crowded, workspaces }) {
  const paths = await makeWorkspaces(crowded, workspaces);
  const contestant = (name, action) => ({
    name,
    turn: (_round, watch) => watch.time(name, crowded.settle, action),
  });
  const contest = await interleave(
    [
      contestant(STATUSES, async () => {
        for (const path of paths) await crowded.git('-C', path, 'status', '--porcelain');
      }),
      contestant('carrel ls --json', () => crowded.carrel('ls', '--json')),
      contestant(LIST, () => crowded.git('worktree', 'list', '--porcelain')),
      contestant('carrel ls --json --fast', () => crowded.carrel('ls', '--json', '--fast')),
    ],
    repeats,
  );
  return toFigures(rows, size, contest);
}

async function makeWorkspaces(scene, count) {
  const { library, app } = await scene.openLibrary();
  const paths = [];
  for (let index = 0; index < count; index++) {
    paths.push((await library.up(app, { repository: scene.repository.directory, name: `w${index}` })).path);
  }
  await app.close();
  return paths;
}
