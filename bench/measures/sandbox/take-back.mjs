import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathOf } from '../../repository/history.mjs';
import { removeDirectory } from '../../system/remove-directory.mjs';
import { toFigures } from '../../timing/figure.mjs';
import { interleave } from '../../timing/interleave.mjs';

const COMMITS = 50;
const PUSH = 'git push';
const CHECKED_PUSH = 'git push, receive.fsckObjects';
const TAKE_BACK = 'take-back, with all checks';

const rows = [
  { group: 'take-back', name: PUSH },
  { group: 'take-back', name: CHECKED_PUSH, reference: PUSH },
  { group: 'take-back', name: TAKE_BACK, reference: PUSH },
];

/** The same commits, still loose objects, on three ways into a repository that borrows from the parent. */
export async function measureTakeBack({ size, repeats, bubblewrap }) {
  const rounds = new Map();
  const commitsOf = round => {
    if (!rounds.has(round)) rounds.set(round, makeCommits(bubblewrap, round));
    return rounds.get(round);
  };
  const contest = await interleave(
    [
      plainPush(bubblewrap.scene, PUSH, commitsOf),
      plainPush(bubblewrap.scene, CHECKED_PUSH, commitsOf),
      importFromSandbox(bubblewrap, commitsOf),
    ],
    repeats,
  );
  return toFigures(rows, size, contest);
}

/**
 * On a separate branch, so that the end of the command, which imports the workspace's branch, imports
 * nothing. Then that branch is moved by hand.
 */
async function makeCommits(bubblewrap, round) {
  const { sandboxes } = await bubblewrap.open();
  const record = await bubblewrap.workspace('committing');
  const { gitDir } = sandboxes.placeOf(record.id);
  const branchFile = join(gitDir, 'refs/heads', record.branch);
  const before = readFileSync(branchFile, 'utf8').trim();
  await bubblewrap.run(record, ['sh', '-c', script, 'sh', record.branch, String(round), ...changed]);
  const tip = readFileSync(join(gitDir, 'refs/heads/work'), 'utf8').trim();
  writeFileSync(branchFile, `${tip}\n`);
  return { record, gitDir, before, tip };
}

const changed = Array.from({ length: COMMITS }, (_, index) => pathOf(index + 1));

const script = `
set -e
branch=$1 round=$2
shift 2
git switch --quiet --force-create work
for path in "$@"; do
  echo "round $round" >> "$path"
  git -c user.name=Bench -c user.email=bench@example.com commit --quiet --message "change $path" "$path"
done
git symbolic-ref HEAD "refs/heads/$branch"
`;

/** Before the import: after that the parent has the objects, and a repository that borrows from it needs none. */
function plainPush(scene, name, commitsOf) {
  const isChecked = name === CHECKED_PUSH;
  const turn = async (round, watch) => {
    const { gitDir, before, tip } = await commitsOf(round);
    const [source, target] = ['source', 'target'].map(each => join(scene.home, `push-${each}.git`));
    await makeBorrowing(scene, source, { 'refs/heads/work': tip });
    cpSync(join(gitDir, 'objects'), join(source, 'objects'), { recursive: true, filter: isObject });
    await makeBorrowing(scene, target, { 'refs/heads/main': before });
    await scene.git('-C', target, 'config', 'receive.fsckObjects', String(isChecked));
    await watch.time(
      name,
      scene.settle,
      () => scene.git('-C', source, 'push', '--quiet', target, 'work:main'),
      () => requireTip(scene, target, 'main', tip),
    );
    for (const each of [source, target]) removeDirectory(each);
  };
  return { name, turn };
}

const isObject = path => !path.endsWith('/info');

async function makeBorrowing(scene, directory, refs) {
  await scene.git('init', '--quiet', '--bare', directory);
  const parent = join(scene.repository.directory, '.git/objects');
  writeFileSync(join(directory, 'objects/info/alternates'), `${parent}\n`);
  for (const [ref, commit] of Object.entries(refs)) {
    mkdirSync(dirname(join(directory, ref)), { recursive: true });
    writeFileSync(join(directory, ref), `${commit}\n`);
  }
}

function importFromSandbox(bubblewrap, commitsOf) {
  const { scene } = bubblewrap;
  const turn = async (round, watch) => {
    const { record, tip } = await commitsOf(round);
    const { sandboxes } = await bubblewrap.open();
    await watch.time(
      TAKE_BACK,
      scene.settle,
      () => sandboxes.importFromSandbox(record),
      async taken => {
        if (taken.outcome !== 'imported') throw new Error(`${taken.outcome}: ${taken.problems?.join('; ')}`);
        await requireTip(scene, scene.repository.directory, record.branch, tip);
      },
    );
  };
  return { name: TAKE_BACK, turn };
}

async function requireTip(scene, directory, branch, tip) {
  const found = await scene.askGit('-C', directory, 'rev-parse', `refs/heads/${branch}`);
  if (found !== tip) throw new Error(`${branch} is at ${found}, expected ${tip}`);
}
