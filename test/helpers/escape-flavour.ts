import { spawnSync } from 'node:child_process';
import { isRoot } from './required-part.js';

/** One kind of sandbox that the escape suite is run against. */
export interface Flavour {
  readonly name: string;
  readonly runtime: 'bubblewrap' | 'podman';
  /** Who owns the desk and runs the command; whoever runs the tests when left out. */
  readonly uid: number | undefined;
  /** What is missing on this machine, if anything. */
  findMissing(): string | undefined;
}

/** The uid that has no rights of its own on every system. */
const NOBODY = 65_534;

export const bubblewrapAsUser: Flavour = {
  name: 'bubblewrap as an ordinary user',
  runtime: 'bubblewrap',
  uid: isRoot ? NOBODY : undefined,
  findMissing: () => missingProgram('bwrap'),
};

export const bubblewrapAsRoot: Flavour = {
  name: 'bubblewrap as root',
  runtime: 'bubblewrap',
  uid: undefined,
  findMissing: () => (isRoot ? missingProgram('bwrap') : 'the rights of root'),
};

export const podman: Flavour = {
  name: 'podman',
  runtime: 'podman',
  uid: undefined,
  findMissing: () => (spawnSync('podman', ['info']).status === 0 ? undefined : 'a podman that works'),
};

function missingProgram(name: string): string | undefined {
  return spawnSync(name, ['--version']).status === 0 ? undefined : name;
}
