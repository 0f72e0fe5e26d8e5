import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { EscapeDesk } from '../../helpers/escape-desk.js';
import type { Flavour } from '../../helpers/escape-flavour.js';
import { shell } from '../program.js';
import { testStories } from '../test-story.js';

/** Programs in the workspace are the agent's: the host takes its own from elsewhere. */
export function testPlanted(flavour: Flavour): void {
  testStories(flavour, 'planted programs', tell => {
    tell("no program of the workspace's is run by the host, whatever PATH says", async desk => {
      const mark = join(desk.home, 'ran');
      await desk.inside(plant(mark));
      const PATH = `${desk.path}/bin:.:bin:${desk.env.PATH}`;
      const options = { env: { ...desk.env, PATH }, cwd: desk.path };
      for (const args of COMMANDS) await desk.host(desk.carrelWords(...args), options);
      expect(existsSync(mark) ? readFileSync(mark, 'utf8') : '').toBe('');
      await expectControl(desk, mark);
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

async function expectControl(desk: EscapeDesk, mark: string): Promise<void> {
  const PATH = `.:${desk.env.PATH}`;
  await desk.host(['/bin/sh', '-c', 'git --version'], { env: { ...desk.env, PATH }, cwd: desk.path });
  expect(existsSync(mark), 'the control').toBe(true);
}
