import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape-flavour.js';
import { readVerdict, shell } from '../program.js';
import { testStories } from '../test-story.js';

/** Whoever comes next sees nothing of who was there before. */
export function testReuse(flavour: Flavour): void {
  testStories(flavour, 'the next one', tell => {
    tell('nobody finds what the one before left behind, in the same place', async desk => {
      expect(readVerdict((await desk.inside(leave)).stdout)).toBe('held');
      expect(readVerdict((await desk.inside(search)).stdout), 'the control').toBe('escaped');
      await desk.renew();
      const outcome = await desk.inside(search);
      expect(readVerdict(outcome.stdout), outcome.stdout).toBe('held');
    });

    tell('nobody sees the workspace beside their own', async desk => {
      await desk.inside(leave);
      await desk.carrel('up', 'b', '--isolation', 'full', '--strict');
      const words = ['sh', '-c', search.text, 'sh'];
      const { stdout } = await desk.carrel('exec', 'b', '--', ...words);
      expect(readVerdict(stdout), stdout).toBe('held');
      await desk.carrel('down', 'b');
    });
  });
}

const leave = shell(`
echo left-behind >untracked; echo left-behind >ignored.log; echo left-behind >"$HOME/file"
mkdir -p node_modules; echo left-behind >node_modules/file
echo left-behind >README.md; git stash --quiet; git branch left-behind; git tag left-behind
git config carrel.left behind; git commit --quiet --allow-empty -m left-behind
held done
`);

const search = shell(`
grep --recursive --quiet left-behind . "$HOME" /tmp /run/carrel/git/logs 2>/dev/null && escaped files
[ -n "$(git for-each-ref | grep left-behind)" ] && escaped refs
[ -n "$(git stash list)" ] && escaped stash
git config --get carrel.left && escaped config
held nothing
`);
