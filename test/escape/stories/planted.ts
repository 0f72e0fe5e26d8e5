import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';

/** Programs in the workspace are the agent's: the host takes its own from elsewhere. */
export function testPlanted(flavour: Flavour): void {
  testStories(flavour, 'planted programs', tell => {
    tell('the host runs no program from the workspace, regardless of PATH', async fixture => {
      const mark = join(fixture.home, 'ran');
      await fixture.inside(plant(mark));
      const PATH = `${fixture.path}/bin:.:bin:${fixture.env.PATH}`;
      const options = { env: { ...fixture.env, PATH }, cwd: fixture.path };
      for (const args of COMMANDS) await fixture.host(fixture.carrelWords(...args), options);
      expect(existsSync(mark) ? readFileSync(mark, 'utf8') : '').toBe('');
      await expectControl(fixture, mark);
    });
  });
}

const COMMANDS = [
  ['ls'],
  ['show', 'a'],
  ['diff', 'a'],
  ['exec', 'a', '--', 'true'],
  ['snapshot', 'a'],
  ['doctor'],
];

const plant = (mark: string) =>
  shell(
    String.raw`
    mkdir -p bin
    for name in git bwrap podman docker sh env prlimit tar mount umount du jj node; do
      for place in . bin; do
        printf '#!/bin/sh\necho "$0 $*" >>"%s"\n' "$1" >$place/$name; chmod +x $place/$name
      done
    done; held planted`,
    mark,
  );

async function expectControl(fixture: EscapeFixture, mark: string): Promise<void> {
  const PATH = `.:${fixture.env.PATH}`;
  await fixture.host(['/bin/sh', '-c', 'git --version'], {
    env: { ...fixture.env, PATH },
    cwd: fixture.path,
  });
  expect(existsSync(mark), 'the control').toBe(true);
}
