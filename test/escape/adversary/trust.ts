import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';
import { commitAsUser } from './commit-as-user.js';
import { STORY_MS } from './story-limit.js';

/** What the user approved once is not a door for what an agent writes later. */
export function testTrust(flavour: Flavour): void {
  testStories(
    flavour,
    'approved commands',
    tell => {
      for (const changed of ['setup.sh', 'tools/env']) {
        tell(`an agent that changes ${changed} has nothing run on the host`, async fixture => {
          const mark = join(fixture.home, 'ran');
          commitAsUser(fixture, SETUP);
          expect((await fixture.carrel('trust', '--yes')).status).toBe(0);
          await fixture.renew();
          await fixture.inside(shell(PLANT, changed, mark));
          const onHost = (...args: string[]) => fixture.carrel('up', 'b', '--isolation', 'worktree', ...args);
          const unlanded = ['--base', 'carrel/a'];
          expect((await onHost(...unlanded)).status).toBe(3);
          fixture.git(fixture.repository, 'merge', '--quiet', 'carrel/a');
          expect((await onHost()).status).toBe(3);
          // In a sandbox it may run.
          await fixture.carrel('up', 'c', '--isolation', 'full', '--strict');
          expect(existsSync(mark)).toBe(false);
          expect((await onHost('--trust')).status).toBe(0);
          expect(existsSync(mark), 'the control').toBe(true);
          rmSync(mark);
          await restore(fixture);
        });
      }
    },
    STORY_MS,
  );
}

const SETUP = {
  '.carrel/config.yaml': 'workspace: {setup: ["sh ./setup.sh"]}\n',
  'setup.sh': '. "$(dirname "$0")/tools/env"\n',
  'tools/env': 'true\n',
};

const PLANT = `echo "touch '$2' 2>/dev/null; true" >"$1"; git commit -qam planted; held planted`;

async function restore(fixture: EscapeFixture): Promise<void> {
  for (const name of ['b', 'c']) await fixture.carrel('down', name, '--discard-changes', '--discard-commits');
  await fixture.carrel('trust', '--revoke');
  fixture.git(fixture.repository, 'reset', '--quiet', '--hard', 'v1');
  await fixture.renew();
}
