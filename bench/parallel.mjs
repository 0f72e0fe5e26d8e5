import { join } from 'node:path';
import { time } from './figures.mjs';
import { withScene } from './scene.mjs';

/** Plain git fails for some of these; that is why the failures are counted. */
export async function measureParallel(count) {
  await withScene(150, async ({ home, git, carrel }) => {
    console.log(`\n${count} at once, 150 files`);
    const contest = async (name, start) => {
      let failures = 0;
      const ms = await time(() =>
        Promise.all(Array.from({ length: count }, (_, index) => start(index).catch(() => failures++))),
      );
      console.log(`  ${name.padEnd(46)} ${ms.toFixed(0).padStart(9)} ms   ${failures} failed`);
    };
    await contest('git worktree add', index =>
      git('worktree', 'add', '--quiet', '-b', `p${index}`, join(home, `p${index}`)),
    );
    await contest('carrel up', index => carrel('up', `c${index}`));
  });
}
