import { existsSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { hashTree } from '../../helpers/fingerprint.js';
import { waitFor } from '../../helpers/wait-for.js';
import { perl, shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';

/** Files planted for programs that read the workspace from outside. */
export function testHostileFiles(flavour: Flavour): void {
  testStories(flavour, 'hostile files', tell => {
    tell('a pipe, a socket and a directory that contains itself block no command', async fixture => {
      await fixture.inside(layTraps);
      expect(lstatSync(join(fixture.path, 'pipe')).isFIFO()).toBe(true);
      await expectAllWork(fixture);
      const control = await fixture.host(['timeout', '1', 'cat', join(fixture.path, 'pipe')]);
      expect(control.status, 'the control').toBe(124);
    });

    tell('names with line breaks, broken characters and dashes come back as they were', async fixture => {
      await fixture.inside(nameOddly);
      const shown = await expectAllWork(fixture);
      expect(shown).not.toContain('\u001b');
      const before = await hashInside(fixture);
      await fixture.carrel('down', 'a', '--discard-changes', '--discard-commits');
      expect(existsSync(fixture.path)).toBe(false);
      expect((await fixture.carrel('restore', 'a')).status).toBe(0);
      expect(await hashInside(fixture)).toBe(before);
      await fixture.renew();
    });

    tell('the host reads no secret through a link that is swapped during a read', async fixture => {
      const running = fixture.start(fixture.carrelWords(...fixture.insideWords(swap(fixture))));
      await waitFor('the swapping', () => (running.printed().includes('READY') ? true : undefined));
      const shown: string[] = [];
      try {
        for (const args of [...LOOKS, ...LOOKS]) {
          const { stdout, stderr } = await fixture.carrel(...args);
          shown.push(stdout, stderr);
        }
        await expectNaiveReaderFalls(fixture);
      } finally {
        await fixture.carrel('down', 'a', '--discard-changes', '--discard-commits', '--stop-processes');
        running.child.kill('SIGKILL');
        await running.outcome;
      }
      expect(shown.join('')).not.toContain(fixture.secret);
      expect(readAllObjects(fixture)).not.toContain(fixture.secret);
      expect((await fixture.carrel('up', 'a', '--isolation', 'full', '--strict')).status).toBe(0);
    });

    tell(
      "a workspace that was replaced by a link to the user's home is not entered, nor is the home removed",
      async fixture => {
        const aside = `${fixture.path}-aside`;
        const home = join(fixture.home, '.ssh');
        const before = hashTree(home);
        renameSync(fixture.path, aside);
        symlinkSync(home, fixture.path);
        const exec = await fixture.carrel(
          'exec',
          'a',
          '--',
          'cat',
          join(fixture.path, 'id_ed25519'),
          'id_ed25519',
        );
        expect(exec.stdout).not.toContain(fixture.secret);
        for (const args of [
          ['diff', 'a'],
          ['snapshot', 'a'],
          ['down', 'a', '--discard-changes', '--discard-commits'],
        ]) {
          const { stdout, stderr } = await fixture.carrel(...args);
          expect(stdout + stderr).not.toContain(fixture.secret);
        }
        expect(hashTree(home)).toBe(before);
        expect(readAllObjects(fixture)).not.toContain(fixture.secret);
        expect(readFileSync(join(fixture.path, 'id_ed25519'), 'utf8'), 'the control').toBe(fixture.secret);
        rmSync(fixture.path);
        renameSync(aside, fixture.path);
      },
    );

    tell('names of workspaces lead nowhere else', async fixture => {
      const before = hashTree(fixture.cacheDir);
      for (const name of ['../x', '-x', 'a/../../x', '.', '..', 'a\nb', '.git']) {
        const { status } = await fixture.carrel('up', '--isolation', 'full', '--strict', '--', name);
        expect(status, name).toBe(2);
      }
      expect(hashTree(fixture.cacheDir)).toBe(before);
      const { stdout, status } = await fixture.carrel('up', 'A', '--isolation', 'full', '--strict', '--json');
      if (status !== 0) return;
      expect(JSON.parse(stdout).path.toLowerCase()).not.toBe(fixture.path.toLowerCase());
      await fixture.carrel('down', 'A');
    });
  });
}

const LOOKS = [['show', 'a'], ['diff', 'a'], ['snapshot', 'a'], ['ls']];

/** Gives all that was shown. */
async function expectAllWork(fixture: EscapeFixture): Promise<string> {
  let shown = '';
  for (const args of LOOKS) {
    const outcome = await fixture.carrel(...args);
    expect(outcome, args.join(' ')).toMatchObject({ status: 0 });
    shown += outcome.stdout + outcome.stderr;
  }
  return shown;
}

const layTraps = perl(`
system 'mkfifo', 'pipe';
system 'mkfifo', 'source/one.pipe';
unlink 'README.md';
system 'mkfifo', 'README.md';
socket(my $s, 1, 1, 0) or held($!);
bind($s, pack('S a*', 1, 'socket')) or held($!);
symlink '.', 'loop';
symlink '..', 'source/up';
symlink 'b', 'a';
symlink 'a', 'b';
held('laid');
`);

const nameOddly = perl(String.raw`
for my $name ("line\nbreak", "tab\tname", "broken\xff\xfe", "-rf", "--help", "quote\"'\\", "\e]0;title\a", ' ', "\$(touch x)") {
  open(my $file, '>', "./$name") or held("$name: $!");
  print $file "content\n";
}
held('named');
`);

/** By those who see names as bytes. */
async function hashInside(fixture: EscapeFixture): Promise<string> {
  const script = `find . -type f -not -path ./.git -print0 | LC_ALL=C sort -z | xargs -0 sha256sum --zero | sha256sum`;
  const { stdout } = await fixture.carrel('exec', 'a', '--', 'sh', '-c', script);
  expect(stdout).toMatch(/^[0-9a-f]{64} /);
  return stdout;
}

/** A file and a directory that are links to the secret half of the time. */
const swap = (fixture: EscapeFixture) =>
  shell(
    `
    mkdir -p folder real; echo harmless >real/id_ed25519; echo READY
    while :; do
      rm -f file; echo harmless >file; rm -f file; ln -s "$1/id_ed25519" file
      rm -rf folder; mkdir folder; echo harmless >folder/id_ed25519; rm -rf folder; ln -s "$1" folder
    done`,
    join(fixture.home, '.ssh'),
  );

/** The control: a plain read gets the secret sooner or later. */
async function expectNaiveReaderFalls(fixture: EscapeFixture): Promise<void> {
  const read = (name: string) => {
    try {
      return readFileSync(join(fixture.path, name), 'utf8') === fixture.secret ? true : undefined;
    } catch {
      return undefined;
    }
  };
  await waitFor('a naive reader to read the secret', () => read('file') ?? read('folder/id_ed25519'));
}

function readAllObjects(fixture: EscapeFixture): string {
  return fixture.git(fixture.repository, 'cat-file', '--batch-all-objects', '--batch', '--unordered');
}
