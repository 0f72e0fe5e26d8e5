import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A `git` that notes that it was called and then is the real one. It slows git down: never in a timed run. */
export function installCountingGit(scene) {
  const folder = join(scene.home, 'counting-git');
  const log = join(folder, 'calls');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(folder);
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nexec '${real}' "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  scene.env.PATH = [folder, scene.env.PATH].join(delimiter);
  return () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0);
}
