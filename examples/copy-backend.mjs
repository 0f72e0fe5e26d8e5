// A backend whose workspaces are plain copies made by `cp`, which shares the blocks of the files where the file system
// can. Use it with `workspace.backend: ./copy-backend.mjs` in .carrel/config.yaml and `carrel trust`, or with
// `createCarrel({ backends: { copy: copyBackend } })`. Everything but copying is that of Carrel's own plain copies:
// changes, snapshots, removal in steps that can be undone.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @type {import('carrel/advanced').BackendFactory} */
export default function copyBackend({ backends: { directory } }) {
  return {
    ...directory,
    create: (record, hooks) => {
      // A sandbox leaves files out, which `cp` can't.
      if (hooks.leaveOut) return directory.create(record, hooks);
      return directory.create(record, { ...hooks, populate: () => copy(record, hooks.signal) });
    },
  };
}

async function copy({ repository, path }, signal) {
  const names = (await readdir(repository)).filter(name => !['.git', '.jj'].includes(name));
  const sources = names.map(name => join(repository, name));
  const how = process.platform === 'darwin' ? ['-cRp'] : ['--archive', '--reflink=auto'];
  if (sources.length > 0) await run('cp', [...how, ...sources, `${path}/`], { signal });
  return { warnings: [] };
}
