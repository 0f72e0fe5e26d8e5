import { join } from 'node:path';
import { toFigures } from '../timing/figure.mjs';
import { interleave } from '../timing/interleave.mjs';

const AT_ONCE = 16;
const GIT = `${AT_ONCE} times git worktree add`;
const CARREL = `${AT_ONCE} times carrel up`;

const rows = [
  { group: 'parallel', name: GIT },
  { group: 'parallel', name: CARREL, reference: GIT },
  { group: 'failures', unit: 'failures', name: GIT, sample: `failures: ${GIT}` },
  { group: 'failures', unit: 'failures', name: CARREL, sample: `failures: ${CARREL}` },
];

/** Plain git fails for some of these, so failures are a separate figure. */
export async function measureParallel({ size, repeats, freshScene }) {
  const contestants = [
    crowd(freshScene, GIT, (scene, name) => {
      const path = join(scene.home, name);
      return scene.git('worktree', 'add', '--quiet', '-b', name, path);
    }),
    crowd(freshScene, CARREL, (scene, name) => scene.carrel('up', name)),
  ];
  return toFigures(rows, size, await interleave(contestants, repeats));
}

/** Git leaves branches of worktrees that it failed to make, so each turn has its own scene. */
function crowd(freshScene, name, start) {
  const turn = async (_round, watch) => {
    const scene = freshScene();
    let failures = 0;
    const names = Array.from({ length: AT_ONCE }, (_, index) => `crowd-${index}`);
    const startAll = () => Promise.all(names.map(each => start(scene, each).catch(() => failures++)));
    await watch.time(name, scene.settle, startAll);
    watch.record(`failures: ${name}`, failures);
    await scene.remove();
  };
  return { name, turn };
}
