import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { readVerdict, shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';

/** The next workspace shows nothing of the one before. */
export function testReuse(flavour: Flavour): void {
  testStories(flavour, 'the next one', tell => {
    tell('a new workspace at the same path has no leftovers of the one before', async fixture => {
      expect(readVerdict((await fixture.inside(leave)).stdout)).toBe('held');
      expect(readVerdict((await fixture.inside(search)).stdout), 'the control').toBe('escaped');
      await fixture.renew();
      const outcome = await fixture.inside(search);
      expect(readVerdict(outcome.stdout), outcome.stdout).toBe('held');
    });

    tell("a command can't see another workspace", async fixture => {
      await fixture.inside(leave);
      await fixture.carrel('up', 'b', '--isolation', 'full', '--strict');
      const words = ['sh', '-c', search.text, 'sh'];
      const { stdout } = await fixture.carrel('exec', 'b', '--', ...words);
      expect(readVerdict(stdout), stdout).toBe('held');
      await fixture.carrel('down', 'b');
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
