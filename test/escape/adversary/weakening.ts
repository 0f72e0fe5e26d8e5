import { join } from 'node:path';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { readVerdict, shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';
import { commitAsUser } from './commit-as-user.js';
import { STORY_MS } from './story-limit.js';

/** A file of the repository takes nothing of the sandbox away that the user's own file asks for. */
export function testWeakening(flavour: Flavour): void {
  testStories(
    flavour,
    'files of the repository',
    tell => {
      for (const [what, files] of Object.entries(weakenings)) {
        if (flavour.runtime === 'podman' && !OF_CONTAINERS.includes(what)) continue;
        tell(`${what} does not weaken the sandbox`, async fixture => {
          fixture.configure('', 'isolation: {default: full}\n');
          commitAsUser(fixture, files(fixture));
          try {
            await expectHeldOrRefused(fixture);
          } finally {
            fixture.git(fixture.repository, 'reset', '--quiet', '--hard', 'v1');
            fixture.configure('');
          }
        });
      }

      tell("the same in the user's own file does what it says", async fixture => {
        fixture.configure('  passEnvironment: [AWS_SECRET_ACCESS_KEY]\n', 'isolation: {default: full}\n');
        expect(await lookInside(fixture), 'the control').toBe('escaped');
        fixture.configure('');
      });
    },
    STORY_MS,
  );
}

const config = (text: string) => () => ({ '.carrel/config.yaml': text });

const weakenings: Readonly<Record<string, (fixture: EscapeFixture) => Record<string, string>>> = {
  'another isolation': config('isolation: {default: shared, onUnavailable: degrade, overrides: {}}\n'),
  'a template': config('templates: {default: {isolation: worktree}}\n'),
  'an image that does not exist': config('workspace: {container: {image: nowhere.example/x}}\n'),
  'a Dockerfile': () => ({ '.carrel/Dockerfile': 'FROM nowhere.example/x\nRUN false\n' }),
  'a limit that nothing can hold': config('workspace: {container: {resourceLimits: {memory: 1}}}\n'),
  'a wish to read the home': ({ home }) => config(`sandbox: {readable: [${home}]}\n`)(),
  'a wish for variables': config('sandbox: {passEnvironment: [AWS_SECRET_ACCESS_KEY]}\n'),
  'a wish for the network': config('sandbox: {network: host, allow: ["*"]}\n'),
  'a wish for rights': config('sandbox: {privileged: true, engineSocket: true, nested: true}\n'),
  'a wish for the git directory': config('sandbox: {git: surgical}\n'),
};

/** What a container engine would obey. */
const OF_CONTAINERS = [
  'an image that does not exist',
  'a Dockerfile',
  'a limit that nothing can hold',
  'a wish for rights',
];

/** Refused is fine too: then nothing ran. */
async function expectHeldOrRefused(fixture: EscapeFixture): Promise<void> {
  expect(await lookInside(fixture)).not.toBe('escaped');
}

async function lookInside(fixture: EscapeFixture) {
  const up = await fixture.carrel('up', 'b', '--json');
  if (up.status !== 0) {
    expect(JSON.parse(up.stdout).error.code).toBeTruthy();
    return 'refused';
  }
  try {
    expect(JSON.parse(up.stdout).isolation).toMatchObject({ effective: 'full' });
    const { stdout } = await fixture.carrel('exec', 'b', '--', ...fixture.words(search(fixture)));
    return readVerdict(stdout) ?? 'refused';
  } finally {
    await fixture.carrel('down', 'b', '--discard-changes', '--discard-commits');
  }
}

const search = ({ home, commonDir, secret }: EscapeFixture) =>
  shell(
    `
    env | grep -q "$3$4" && escaped environment
    [ -e "$1" ] && escaped home
    touch "$2/carrel-was-here" 2>/dev/null && escaped repository
    held`,
    join(home, '.ssh/id_ed25519'),
    commonDir,
    secret.slice(0, 8),
    secret.slice(8),
  );
