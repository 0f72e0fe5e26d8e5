import { join } from 'node:path';
import { describe, it } from 'vitest';
import { createCarrel } from '../../helpers/carrel.js';
import { describePair, type Pair, type PairOptions, runPair } from '../../helpers/crash/pairs.js';
import { jjEnv, makeJjRepository, requireJj } from '../../helpers/git/jj.js';
import { overlayDir, requireOverlay } from '../../helpers/pool/overlay.js';
import { makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';

const PAIRS: readonly Pair[] = [
  { first: 'snapshot', step: 'recorded', second: 'down', secondStep: 'set-aside' },
  { first: 'snapshot', step: 'captured', second: 'down' },
  { first: 'down', step: 'set-aside', second: 'snapshot' },
  { first: 'down', step: 'captured', second: 'restore' },
  { first: 'down', step: 'unregistered', second: 'ls' },
  { first: 'up', step: 'populated', second: 'down' },
  { first: 'restore', step: 'registered', second: 'snapshot' },
];

const FILES = { 'README.md': 'hello\n', 'source/one.txt': 'one\n', '.gitignore': '*.log\n' };

describe.each(PAIRS.map(pair => [describePair(pair), pair] as const))(
  '%s',
  { timeout: 180_000 },
  (_, pair) => {
    const lose = (options: PairOptions) => runPair(pair, { ...options, isWorktree: false });

    it('loses nothing of a plain directory', () => {
      const directory = tempDir();
      writeFiles(directory, FILES);
      return lose({ form: { form: { kind: 'copy', directory } } });
    });

    it('loses nothing of an overlay', async context => {
      await requireOverlay(context);
      await lose({ makeSite: makeOverlaySite });
    });

    it('loses nothing of a jj workspace', async context => {
      requireJj(context);
      await lose({ makeSite: makeJjSite });
    });
  },
);

function makeOverlaySite() {
  const home = overlayDir();
  writeFiles(home, { 'config/carrel/config.yaml': 'workspace:\n  files: overlay\n' });
  return { repository: makeRepository(FILES, join(home, 'repo')), carrel: createCarrel(home) };
}

function makeJjSite() {
  return {
    repository: makeJjRepository('colocated', FILES),
    carrel: createCarrel(undefined, { ...jjEnv(), HOME: tempDir() }),
  };
}
