import { join } from 'node:path';
import { carrelError } from '../domain/error.js';
import type { SeenDesk } from './desk.js';
import { isPlainPath } from './plain-path.js';

/** What there is on every desk, also when nothing is placed in it. */
export const DESK_DIRECTORIES = ['inputs', 'outputs', 'files'] as const;

export const layOut = (desk: string): SeenDesk => ({
  promptFile: join(desk, 'prompt.md'),
  inputDir: join(desk, 'inputs'),
  outputDir: join(desk, 'outputs'),
  filesDir: join(desk, 'files'),
});

export function requireOnDesk(desk: string, paths: Iterable<string>): void {
  for (const path of paths) if (!isPlainPath(path)) throw carrelError('UNSAFE_PATH', { path, root: desk });
}
