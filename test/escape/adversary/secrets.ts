import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { giveTo } from '../../helpers/escape/escape-surroundings.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { writeFiles } from '../../helpers/repository.js';
import { readVerdict, shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';
import { STORY_MS } from './story-limit.js';

/** What one agent lands brings no secret to the next, and a key that stays outside is nowhere inside. */
export function testSecrets(flavour: Flavour): void {
  testStories(
    flavour,
    'secrets',
    tell => {
      tell(
        'an agent that lands a list of files to bring along gets none of them into the next sandbox',
        async fixture => {
          writeFiles(fixture.repository, {
            '.env': `TOKEN=${fixture.secret}\n`,
            'private/key': fixture.secret,
          });
          giveTo(fixture.repository, fixture.uid);
          await fixture.inside(shell(ASK));
          expect((await fixture.carrel('land', 'a')).status).toBe(0);
          const full = ['--isolation', 'full', '--strict'];
          expect(await searchNew(fixture, ...full)).toBe('held');
          expect(await searchNew(fixture, ...full, '--template', 'claude')).toBe('held');
          expect(await searchNew(fixture, ...full, '--copy', fixture.repository)).toBe('held');
          await fixture.carrel('trust', '--yes');
          expect(await searchNew(fixture, ...full), 'the control').toBe('escaped');
          // Landing has removed it.
          await fixture.carrel('up', 'a', ...full);
        },
      );

      tell('a key that the proxy holds is in no variable, process or file inside', async fixture => {
        const bound = 'keyHosts: {GITLAB_TOKEN: {hosts: [gitlab.example.com]}}';
        fixture.configure(`  keys: proxy\n  passEnvironment: [GITLAB_TOKEN]\n  ${bound}\n`);
        await fixture.renew();
        expect(await searchKey(fixture)).toBe('held');
        fixture.configure('  passEnvironment: [GITLAB_TOKEN]\n');
        await fixture.renew();
        expect(await searchKey(fixture), 'the control').toBe('escaped');
        fixture.configure('');
      });
    },
    STORY_MS,
  );
}

const ASK = `
printf '.env\\nprivate/\\n' >.worktreeinclude; printf '.env\\nprivate/\\n' >>.gitignore
mkdir -p .carrel; echo 'workspace: {include: [".env", "private/key", "**"]}' >.carrel/config.yaml
git add -f .worktreeinclude .gitignore .carrel; git commit -qm ask; held asked`;

/** In a new workspace. In two halves: what looks for it must not be what is found. */
async function searchNew(fixture: EscapeFixture, ...up: string[]) {
  const made = await fixture.carrel('up', 'b', ...up);
  expect(made.status, made.stderr).toBe(0);
  const { stdout } = await fixture.carrel('exec', 'b', '--', ...fixture.words(search(fixture.secret)));
  await fixture.carrel('down', 'b', '--discard-changes', '--discard-commits');
  return readVerdict(stdout);
}

const search = (secret: string) =>
  shell(
    `
    word=$1$2
    env | grep -q "$word" && escaped environment
    cat /proc/[0-9]*/environ 2>/dev/null | grep -q "$word" && escaped processes
    grep -rqs "$word" . "$HOME" /tmp /run && escaped files
    held`,
    secret.slice(0, 10),
    secret.slice(10),
  );

async function searchKey(fixture: EscapeFixture) {
  const key = `glpat-${fixture.secret}`;
  const env = { ...fixture.env, GITLAB_TOKEN: key };
  const { stdout, stderr } = await fixture.host(fixture.carrelWords(...fixture.insideWords(search(key))), {
    env,
  });
  expect(stdout, stderr).toContain('INSIDE');
  return readVerdict(stdout);
}
