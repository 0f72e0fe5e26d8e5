import { join } from 'node:path';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { programWords } from '../../helpers/escape/escape-tools.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { readVerdict, shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';
import { STORY_MS } from './story-limit.js';

/** No variable of the caller's leads an agent to the user's checkout, with a sandbox or without. */
export function testCallersPlace(flavour: Flavour): void {
  testStories(
    flavour,
    "the caller's place",
    tell => {
      tell(
        "an agent that goes where variables lead works in its workspace, not in the user's checkout",
        async fixture => {
          const before = fingerprint(fixture.repository, fixture.git);
          expect(readVerdict(await runInside(fixture, 'a'))).toBe('held');
          const up = await fixture.host(fixture.carrelWords('up', 'w', '--isolation', 'worktree'), {
            env: caller(fixture),
          });
          expect(up.status, up.stderr).toBe(0);
          expect(readVerdict(await runInside(fixture, 'w'))).toBe('held');
          for (const name of ['a', 'w'])
            expect(fixture.git(fixture.repository, 'log', '-1', '--format=%s', `carrel/${name}`)).toBe(
              'planted',
            );
          expect(fingerprint(fixture.repository, fixture.git)).toEqual(before);
          await fixture.carrel('down', 'w', '--discard-commits', '--discard-changes');
          const control = await fixture.host(programWords(follow(fixture)), {
            env: caller(fixture),
            cwd: fixture.scratch(),
          });
          expect(readVerdict(control.stdout), 'the control').toBe('escaped');
        },
      );
    },
    STORY_MS,
  );
}

const caller = (fixture: EscapeFixture): Record<string, string> => ({
  ...fixture.env,
  ...{
    PWD: fixture.repository,
    OLDPWD: fixture.repository,
    INIT_CWD: fixture.repository,
    PROJECT_CWD: fixture.repository,
  },
  ...{
    npm_config_local_prefix: fixture.repository,
    npm_package_json: join(fixture.repository, 'package.json'),
  },
  ...{ GIT_PREFIX: fixture.repository, GIT_CEILING_DIRECTORIES: fixture.repository },
  ...{ VSCODE_GIT_IPC_HANDLE: join(fixture.repository, 'sock'), TMUX: `${fixture.repository},1,0` },
});

/** As agents do: the first variable that names a place is where they work. */
const follow = (fixture: EscapeFixture) =>
  shell(
    `
    env | grep -v '^CARREL_' | grep -F -- "$1" && escaped variables
    cd "$PWD" && echo x >planted && git add planted && git commit -qm planted && held there
    echo failed`,
    fixture.repository,
  );

async function runInside(fixture: EscapeFixture, name: string): Promise<string> {
  const words = fixture.carrelWords('exec', name, '--', ...fixture.words(follow(fixture)));
  const { stdout, stderr } = await fixture.host(words, { env: caller(fixture) });
  return `${stdout}${stderr}`;
}
