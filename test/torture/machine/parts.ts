import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOverlayObstacle } from '../../../src/workspace/template/overlay-obstacle.js';
import { isRequired, type PartName } from '../../parts/parts.js';

/** What this machine has that a run can use. */
export interface Parts {
  readonly bubblewrap: boolean;
  readonly overlay: boolean;
  readonly jj: boolean;
  readonly smallDisks: boolean;
}

/** Says what is missing; what CARREL_REQUIRE_PARTS asks for must be there. */
export async function findParts(say: (line: string) => void): Promise<Parts> {
  const directory = mkdtempSync(join(tmpdir(), 'carrel-torture-parts-'));
  try {
    const parts = {
      bubblewrap: succeeds('bwrap', '--ro-bind', '/', '/', '--unshare-all', '--proc', '/proc', 'true'),
      overlay: (await findOverlayObstacle(directory)) === null,
      jj: succeeds('jj', '--version'),
      smallDisks: canMount(directory),
    };
    for (const [part, name] of NAMES)
      if (!parts[part]) {
        if (isRequired(name))
          throw new Error(`${name} is missing on this machine, and CARREL_REQUIRE_PARTS asks for it`);
        say(`SKIPPED: nothing is tried with ${name}, which this machine does not have`);
      }
    return parts;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const NAMES: readonly (readonly [keyof Parts, PartName])[] = [
  ['bubblewrap', 'bubblewrap'],
  ['overlay', 'overlay mounts'],
  ['jj', 'jj'],
  ['smallDisks', 'small file systems'],
];

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

function canMount(directory: string): boolean {
  if (!succeeds('mount', '-t', 'tmpfs', '-o', 'size=100k', 'tmpfs', directory)) return false;
  return succeeds('umount', directory);
}
