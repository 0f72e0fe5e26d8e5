import { rmdir } from 'node:fs/promises';
import { ignoreMissing } from '../../domain/error/error.js';
import { unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import type { Returning } from '../backend.js';
import { removeOverlay } from './create.js';

/** All files are rewritten, so there is nothing to share: the restored workspace is an ordinary worktree. */
export const createOverlayReturning = (worktrees: Returning): Returning => ({
  fill: worktrees.fill,
  clear: async record => {
    await unmountOverlay(record.path);
    await rmdir(record.path).catch(ignoreMissing);
    await removeOverlay(record);
  },
  as: 'git',
});
