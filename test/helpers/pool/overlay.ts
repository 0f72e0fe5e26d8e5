import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { onTestFinished, type TestContext } from 'vitest';
import { findOverlayObstacle } from '../../../src/workspace/template/overlay-obstacle.js';
import { requirePart } from '../../parts/required-part.js';
import { tempDir } from '../temp.js';

/** For `beforeEach` of tests that mount overlays. */
export async function requireOverlay(context: TestContext): Promise<void> {
  const obstacle = await findOverlayObstacle(tempDir());
  requirePart(context, obstacle === null, 'overlay mounts');
}

/** A temporary directory for overlays; whatever is mounted in it is gone when the test ends. */
export function overlayDir(): string {
  const path = tempDir();
  onTestFinished(() => unmountBelow(path));
  return path;
}

/** Plain umount(8), so that a test of Carrel's unmounting does not clean up with it. */
export function unmountBelow(path: string): void {
  const targets = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map(line => line.split(' ')[4]?.replaceAll('\\040', ' ') ?? '')
    .filter(target => target.startsWith(`${path}/`));
  for (const target of targets.reverse()) spawnSync('umount', ['--lazy', target]);
}
