import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tidyRepository } from '../repository/clean-up-repository.mjs';
import { childEnvironment, readOutput, runToEnd } from '../system/process.mjs';
import { waitForQuiet } from '../system/quiet.mjs';
import { removeDirectory } from '../system/remove-directory.mjs';

const root = resolve(import.meta.dirname, '../..');
const binary = join(root, 'bin/carrel.cjs');

/**
 * A Carrel with its own state, workspaces and configuration, on the file system of the repository. `config` is the
 * text of the user's configuration file.
 */
export function createScene({ runs, repository, name, config = '' }) {
  const home = join(runs, name);
  mkdirSync(join(home, 'config/carrel'), { recursive: true });
  mkdirSync(join(home, 'temporary'));
  writeFileSync(join(home, 'config/carrel/config.yaml'), config);
  const env = childEnvironment({
    // Everything that Carrel leaves running has this path in its environment, arguments or working directory.
    BENCH_HOME: home,
    CARREL_STATE_DIR: join(home, 'state'),
    CARREL_CACHE_DIR: join(home, 'cache'),
    XDG_CONFIG_HOME: join(home, 'config'),
    TMPDIR: join(home, 'temporary'),
  });
  const place = { cwd: repository.directory, env };
  return {
    home,
    env,
    repository,
    /** Timed runs: nothing is read, a failure throws. */
    git: (...args) => runToEnd('git', args, place),
    carrel: (...args) => runToEnd(process.execPath, [binary, ...args], place),
    run: (command, ...args) => runToEnd(command, args, place),
    node: (...args) => runToEnd(process.execPath, args, place),
    /** Untimed looks. */
    askGit: (...args) => readOutput('git', args, place),
    askCarrel: async (...args) =>
      JSON.parse(await readOutput(process.execPath, [binary, ...args, '--json'], place)),
    openLibrary: async () => {
      const library = {
        ...(await import(join(root, 'dist/index.js'))),
        ...(await import(join(root, 'dist/advanced.js'))),
      };
      return { library, app: await library.openApp({ environment: env, cwd: repository.directory }) };
    },
    settle: () => waitForQuiet(home),
    remove: async () => {
      await waitForQuiet(home);
      removeDirectory(home);
      await tidyRepository(repository.directory);
    },
  };
}
