import { existsSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { EscapeDesk } from '../../helpers/escape-desk.js';
import type { Flavour } from '../../helpers/escape-flavour.js';
import { hashTree } from '../../helpers/fingerprint.js';
import { waitFor } from '../../helpers/wait-for.js';
import { perl, shell } from '../program.js';
import { testStories } from '../test-story.js';

/** Files that are laid out for whoever looks at the workspace from outside. */
export function testHostileFiles(flavour: Flavour): void {
  testStories(flavour, 'hostile files', tell => {
    tell('a pipe, a socket and a directory that contains itself hold nobody up', async desk => {
      await desk.inside(layTraps);
      expect(lstatSync(join(desk.path, 'pipe')).isFIFO()).toBe(true);
      await expectAllWork(desk);
      const control = await desk.host(['timeout', '1', 'cat', join(desk.path, 'pipe')]);
      expect(control.status, 'the control').toBe(124);
    });

    tell('names with line breaks, broken characters and dashes come back as they were', async desk => {
      await desk.inside(nameOddly);
      const shown = await expectAllWork(desk);
      expect(shown).not.toContain('\u001b');
      const before = await hashInside(desk);
      await desk.carrel('down', 'a', '--discard-changes', '--discard-commits');
      expect(existsSync(desk.path)).toBe(false);
      expect((await desk.carrel('restore', 'a')).status).toBe(0);
      expect(await hashInside(desk)).toBe(before);
      await desk.renew();
    });

    tell('nobody has the host read a secret through a link that is swapped while it looks', async desk => {
      const running = desk.start(desk.carrelWords(...desk.insideWords(swap(desk))));
      await waitFor('the swapping', () => (running.printed().includes('READY') ? true : undefined));
      const shown: string[] = [];
      try {
        for (const args of [...LOOKS, ...LOOKS]) {
          const { stdout, stderr } = await desk.carrel(...args);
          shown.push(stdout, stderr);
        }
        await expectNaiveReaderFalls(desk);
      } finally {
        await desk.carrel('down', 'a', '--discard-changes', '--discard-commits', '--stop-processes');
        running.child.kill('SIGKILL');
        await running.outcome;
      }
      expect(shown.join('')).not.toContain(desk.secret);
      expect(readAllObjects(desk)).not.toContain(desk.secret);
      expect((await desk.carrel('up', 'a', '--isolation', 'full', '--strict')).status).toBe(0);
    });

    tell(
      "a workspace that was replaced by a link to the user's home is not entered, nor is the home removed",
      async desk => {
        const aside = `${desk.path}-aside`;
        const home = join(desk.home, '.ssh');
        const before = hashTree(home);
        renameSync(desk.path, aside);
        symlinkSync(home, desk.path);
        const exec = await desk.carrel('exec', 'a', '--', 'cat', join(desk.path, 'id_ed25519'), 'id_ed25519');
        expect(exec.stdout).not.toContain(desk.secret);
        for (const args of [
          ['diff', 'a'],
          ['snapshot', 'a'],
          ['down', 'a', '--discard-changes', '--discard-commits'],
        ]) {
          const { stdout, stderr } = await desk.carrel(...args);
          expect(stdout + stderr).not.toContain(desk.secret);
        }
        expect(hashTree(home)).toBe(before);
        expect(readAllObjects(desk)).not.toContain(desk.secret);
        expect(readFileSync(join(desk.path, 'id_ed25519'), 'utf8'), 'the control').toBe(desk.secret);
        rmSync(desk.path);
        renameSync(aside, desk.path);
      },
    );

    tell('names of workspaces lead nowhere else', async desk => {
      const before = hashTree(desk.cacheDir);
      for (const name of ['../x', '-x', 'a/../../x', '.', '..', 'a\nb', '.git']) {
        const { status } = await desk.carrel('up', '--isolation', 'full', '--strict', '--', name);
        expect(status, name).toBe(2);
      }
      expect(hashTree(desk.cacheDir)).toBe(before);
      const { stdout, status } = await desk.carrel('up', 'A', '--isolation', 'full', '--strict', '--json');
      if (status !== 0) return;
      expect(JSON.parse(stdout).path.toLowerCase()).not.toBe(desk.path.toLowerCase());
      await desk.carrel('down', 'A');
    });
  });
}

const LOOKS = [['show', 'a'], ['diff', 'a'], ['snapshot', 'a'], ['ls']];

/** Gives all that was shown. */
async function expectAllWork(desk: EscapeDesk): Promise<string> {
  let shown = '';
  for (const args of LOOKS) {
    const outcome = await desk.carrel(...args);
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
async function hashInside(desk: EscapeDesk): Promise<string> {
  const script = `find . -type f -not -path ./.git -print0 | LC_ALL=C sort -z | xargs -0 sha256sum --zero | sha256sum`;
  const { stdout } = await desk.carrel('exec', 'a', '--', 'sh', '-c', script);
  expect(stdout).toMatch(/^[0-9a-f]{64} /);
  return stdout;
}

/** A file and a directory that are links to the secret half of the time. */
const swap = (desk: EscapeDesk) =>
  shell(
    `
    mkdir -p folder real; echo harmless >real/id_ed25519; echo READY
    while :; do
      rm -f file; echo harmless >file; rm -f file; ln -s "$1/id_ed25519" file
      rm -rf folder; mkdir folder; echo harmless >folder/id_ed25519; rm -rf folder; ln -s "$1" folder
    done`,
    join(desk.home, '.ssh'),
  );

/** The control: whoever just reads gets the secret sooner or later. */
async function expectNaiveReaderFalls(desk: EscapeDesk): Promise<void> {
  const read = (name: string) => {
    try {
      return readFileSync(join(desk.path, name), 'utf8') === desk.secret ? true : undefined;
    } catch {
      return undefined;
    }
  };
  await waitFor('a naive reader to read the secret', () => read('file') ?? read('folder/id_ed25519'));
}

function readAllObjects(desk: EscapeDesk): string {
  return desk.git(desk.repository, 'cat-file', '--batch-all-objects', '--batch', '--unordered');
}
