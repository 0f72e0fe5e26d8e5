import { mkdirSync, mkdtempSync, realpathSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Carrel, createCarrel } from '../../helpers/carrel.js';
import { jjEnv } from '../../helpers/git/jj.js';
import { unmountBelow } from '../../helpers/pool/overlay.js';
import { writeFiles } from '../../helpers/repository.js';
import { removeTree } from '../../helpers/temp.js';
import { mountTightDisk, type TightDisk } from './tight-disk.js';
import { makeUserCheckout } from './user-checkout.js';

/** What differs between the machines of two episodes. */
export interface MachineShape {
  readonly vcs: 'git' | 'jj';
  readonly files: 'checkout' | 'overlay';
  /** What is on a separate small disk. */
  readonly tight: 'state' | 'cache' | 'repository' | 'temporary' | null;
  /** Whether the user's checkout has the files of one directory only. */
  readonly isSparse: boolean;
}

/** A home, a user with a repository and a plain directory, and a Carrel that has never seen any of it. */
export interface Machine {
  readonly shape: MachineShape;
  readonly root: string;
  readonly carrel: Carrel;
  readonly temporary: string;
  /** A directory without version control. */
  readonly plain: string;
  /** Where the user's checkout is now. */
  repository: string;
  /** Another repository of the user's, for workspaces with both. */
  readonly beside: string;
  readonly disk: TightDisk | undefined;
  moveRepository(): void;
  dispose(): void;
}

export function makeMachine(shape: MachineShape): Machine {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-torture-')));
  const places = {
    home: join(root, 'home'),
    state: join(root, 'home/state'),
    cache: join(root, 'home/cache'),
    repository: join(root, 'user'),
    temporary: join(root, 'tmp'),
    plain: join(root, 'plain'),
  };
  for (const directory of Object.values(places)) mkdirSync(directory, { recursive: true });
  const disk = shape.tight ? mountTightDisk(places[shape.tight], '48m') : undefined;
  writeFiles(places.home, { 'config/carrel/config.yaml': describeConfig(shape), 'clock.cjs': CLOCK });
  writeFiles(places.plain, { 'notes.txt': 'notes\n', 'deep/er/file.txt': 'deep\n', '.env': 'SECRET=2\n' });
  const carrel = createCarrel(places.home, {
    ...jjEnv(),
    HOME: places.home,
    TMPDIR: places.temporary,
    CARREL_CHECKPOINTS: 'on',
  });
  let moves = 0;
  const machine: Machine = {
    ...{ shape, root, carrel, disk, temporary: places.temporary, plain: places.plain },
    repository: makeUserCheckout(join(places.repository, 'repo'), shape),
    beside: makeUserCheckout(join(places.repository, 'beside'), { ...shape, vcs: 'git', isSparse: false }),
    moveRepository: () => {
      const moved = join(places.repository, `moved-${++moves}`);
      renameSync(machine.repository, moved);
      machine.repository = moved;
    },
    dispose: () => {
      unmountBelow(root);
      disk?.unmount();
      removeTree(root);
    },
  };
  return machine;
}

const describeConfig = ({ files }: MachineShape): string =>
  JSON.stringify({
    isolation: { default: 'worktree' },
    workspace: { files: files === 'overlay' ? 'overlay' : 'auto', limits: { freeDisk: '0b' } },
    sandbox: { runtime: 'bubblewrap' },
    tasks: { workflow: 'work', retryDelay: '10ms' },
    agents: {
      scripted: { command: 'echo "$CARREL_TASK_ID" > agent.txt; echo more >> README.md; sleep 0.3' },
    },
  });

/** Loaded before Carrel, it lets the clock be wrong by as many milliseconds as the variable says. */
const CLOCK = `const by = Number(process.env.TORTURE_CLOCK_MS);
const now = Date.now;
globalThis.Date = class extends Date {
  constructor(...args) { args.length === 0 ? super(now() + by) : super(...args); }
  static now() { return now() + by; }
};
`;
