import { join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { SeenHandoff } from './handoff.js';
import { isPlainPath } from './plain-path.js';

/** Directories of every handoff directory, even when they are empty. */
export const HANDOFF_DIRECTORIES = ['inputs', 'outputs', 'files'] as const;

export const handoffPaths = (handoff: string): SeenHandoff => ({
  promptFile: join(handoff, 'prompt.md'),
  inputDir: join(handoff, 'inputs'),
  outputDir: join(handoff, 'outputs'),
  filesDir: join(handoff, 'files'),
});

export function requireInHandoff(handoff: string, paths: Iterable<string>): void {
  for (const path of paths) if (!isPlainPath(path)) throw carrelError('UNSAFE_PATH', { path, root: handoff });
}
