import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { PLANT_BARE, PLANT_REPOSITORY } from '../../helpers/escape/planted-repository.js';
import { shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';

/** Repositories in the workspace are the agent's: no git of the user's, and nothing of Carrel's, obeys their configuration. */
export function testNestedGit(flavour: Flavour): void {
  testStories(flavour, 'repositories within', tell => {
    tell(
      'a repository that was made inside runs nothing outside, in any location and through any link',
      async fixture => {
        const mark = join(fixture.path, 'ran');
        await fixture.inside(shell(`${PLANT_REPOSITORY}\n${PLACES}\nrm -f ran; held planted`, mark));
        await lookAround(fixture);
        expect(existsSync(mark) ? readFileSync(mark, 'utf8') : '').toBe('');
        await expectControl(fixture, mark);
      },
    );

    tell(
      'a bare repository that was made inside, or that a link leads to, runs nothing outside',
      async fixture => {
        await fixture.renew();
        const mark = join(fixture.path, 'ran');
        const { stdout } = await fixture.carrel('show', 'a', '--json');
        const state = join(fixture.stateDir, 'sandboxes', JSON.parse(stdout).id);
        await fixture.inside(
          shell(`${PLANT_BARE}\n${BARE_PLACES}\nrm -f "$mark"; held planted`, mark, state),
        );
        for (const place of ['remote.git', 'deep/er', 'short', 'pointed', 'away', 'private']) {
          const look = `cd "$1" && { git status; git log -1; git -C . diff; }`;
          await fixture.host(['/bin/sh', '-c', look, 'sh', join(fixture.path, place)]);
        }
        expect(existsSync(mark) ? readFileSync(mark, 'utf8') : '').toBe('');
        const uncover = 'mv HEAD cover && mv cover/covered-by-carrel HEAD && git status';
        await fixture.host(['/bin/sh', '-c', uncover], { cwd: join(fixture.path, 'remote.git') });
        expect(existsSync(mark), 'the control').toBe(true);
      },
    );

    tell('a repository that is committed as a submodule does not come back', async fixture => {
      await fixture.renew();
      const mark = join(fixture.path, 'ran');
      const commit = 'git -c core.fsmonitor= add sub; git commit -qm sub; rm -f ran; held planted';
      const outcome = await fixture.inside(shell(`${PLANT_REPOSITORY}\nplant sub "$1"; ${commit}`, mark));
      expect(outcome.stderr).toMatch(/"sub" of commit \w+ is a nested repository/);
      await lookAround(fixture);
      expect(existsSync(mark) ? readFileSync(mark, 'utf8') : '').toBe('');
    });
  });
}

const PLACES = String.raw`
plant sub "$1"; plant "odd
name \ é" "$1"; plant deep/a/b/c "$1"; plant node_modules/dependency "$1"
mkdir file link locked loop; echo "gitdir: $PWD/sub/.git" >file/.git; ln -s ../sub/.git link/.git
plant locked/in "$1"; chmod 555 locked/in; ln -s . loop/.git; mkdir -p empty/.git
cp -r sub twice; mkdir twice/.git/covered-by-carrel; cp -r sub thrice; cp -r sub/.git thrice/.git.carrel-1
mkdir trick; cp -r sub/.git trick/.git; cp -r sub/.git trick/.git.carrel-2; mkdir half half/.git.carrel-3
cp -r sub/.git half/.git.carrel-3/covered-by-carrel`;

const BARE_PLACES = `
mark=$1; bare remote.git; bare deep/er; ln -s deep/er short
mkdir pointed; cp remote.git/HEAD remote.git/config pointed/; echo ../remote.git >pointed/commondir
bare "$HOME/evil"; ln -s / top; ln -s "top/$2/home/evil" away; ln -s "$2/git" private
git config core.fsmonitor "$PWD/remote.git/evil"; git config core.worktree "$PWD"`;

const DIRECTORIES = [
  '.',
  'sub',
  'odd\nname \\ é',
  'deep/a/b/c',
  'node_modules/dependency',
  'file',
  'link',
  'twice',
  'thrice',
  'trick',
  'half',
  'locked/in',
];

async function lookAround(fixture: EscapeFixture): Promise<void> {
  for (const directory of DIRECTORIES) {
    const cwd = join(fixture.path, directory);
    if (!existsSync(cwd)) continue;
    for (const args of [['status'], ['diff'], ['log', '-1', '-p'], ['add', '--dry-run', '.']])
      await fixture.host(['git', ...args], { cwd });
  }
  for (const args of [['ls'], ['show', 'a'], ['diff', 'a'], ['snapshot', 'a'], ['doctor']])
    await fixture.host(fixture.carrelWords(...args), { cwd: fixture.path });
}

async function expectControl(fixture: EscapeFixture, mark: string): Promise<void> {
  const script = 'mv .git cover && mv cover/covered-by-carrel .git && git status';
  await fixture.host(['/bin/sh', '-c', script], { cwd: join(fixture.path, 'sub') });
  expect(existsSync(mark), 'the control').toBe(true);
  rmSync(mark);
  writeFileSync(mark, '');
}
