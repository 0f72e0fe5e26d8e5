// Installs the dependencies when they are absent or older than the lockfile, so that `npm start` and `npm test`
// work on a fresh clone. npm writes node_modules/.package-lock.json at the end of a complete install.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';

const modified = path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (modified('node_modules/.package-lock.json') < modified('package-lock.json')) {
  const args = ['ci', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { stdio: ['ignore', 'inherit', 'inherit'] });
}
