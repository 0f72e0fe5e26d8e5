import { report, time } from './figures.mjs';
import { withScene } from './scene.mjs';

/** Many workspaces: one `git status` each is the floor of a listing that tells the truth. */
export async function measureListing(count) {
  await withScene(150, async ({ git, carrel }) => {
    const paths = [];
    for (let index = 0; index < count; index++) paths.push((await carrel('up', `w${index}`)).stdout.trim());
    const statuses = await time(async () => {
      for (const path of paths) await git('-C', path, 'status', '--porcelain');
    });
    report(`List ${count} workspaces of 150 files`, {
      'git status in each, one after the other': statuses,
      'carrel ls --json': await time(() => carrel('ls', '--json')),
      'carrel ls --json --fast': await time(() => carrel('ls', '--json', '--fast')),
    });
  });
}
