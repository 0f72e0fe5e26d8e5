import { spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';
import { canUseBubblewrap } from '../../parts/bubblewrap.js';
import type { PartName } from '../../parts/parts.js';
import { isRoot, requirePart } from '../../parts/required-part.js';

/** One kind of sandbox that the escape suite is run against. */
export interface Flavour {
  readonly name: string;
  readonly runtime: 'bubblewrap' | 'podman';
  /** The user who owns the workspace and runs the command; by default the user who runs the tests. */
  readonly uid: number | undefined;
  /** What is missing on this machine, if anything. */
  findMissing(): PartName | undefined;
}

/** The uid without any rights on every system. */
const NOBODY = 65_534;

export const bubblewrapAsUser: Flavour = {
  name: 'bubblewrap as an ordinary user',
  runtime: 'bubblewrap',
  uid: isRoot ? NOBODY : undefined,
  findMissing: missingBubblewrap,
};

export const bubblewrapAsRoot: Flavour = {
  name: 'bubblewrap as root',
  runtime: 'bubblewrap',
  uid: undefined,
  findMissing: () => (isRoot ? missingBubblewrap() : 'root'),
};

export const podman: Flavour = {
  name: 'podman',
  runtime: 'podman',
  uid: undefined,
  findMissing: () => (spawnSync('podman', ['info']).status === 0 ? undefined : 'podman'),
};

/** Skips a test where this machine lacks what the flavour needs. */
export function requireFlavour(context: TestContext, flavour: Flavour): void {
  const missing = flavour.findMissing();
  if (missing) requirePart(context, false, missing);
}

function missingBubblewrap(): PartName | undefined {
  return canUseBubblewrap() ? undefined : 'bubblewrap';
}
