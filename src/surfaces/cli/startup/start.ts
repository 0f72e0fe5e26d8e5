// Becomes dist/start.cjs, which bin/carrel.cjs loads: runs the command line from V8's compiled code of an earlier run.
// The same bundle, `carrel path`, best of 9 on a busy machine: 187 ms without it, 111 ms with it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { type CodeCache, openCodeCache } from './code-cache.js';

/** The bundle, `cli-HASH.cjs`: an expression, the function that CommonJS modules are, all in ASCII. The build puts the name here. */
declare const COMMAND_LINE: string;

/** Most commands use none of them but crypto, and that while they wait for git. Together they take 8 ms to load. */
const RARELY_USED = new Set(
  [
    'crypto',
    'dns/promises',
    'http',
    'net',
    'readline',
    'readline/promises',
    'tls',
    'worker_threads',
    'zlib',
  ].map(name => `node:${name}`),
);

const filename = join(__dirname, COMMAND_LINE);
const cache = findCodeCache();
const cachedData = cache?.read();
const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData });
// At exit all needed functions are compiled, and only an existing command succeeds.
if (cache && (cachedData === undefined || script.cachedDataRejected))
  process.on('exit', exitCode => exitCode === 0 && cache.write(script.createCachedData()));
script.runInThisContext()(requireFrom(filename), filename, __dirname);

function findCodeCache(): CodeCache | undefined {
  // Not CARREL_CACHE_DIR: that is for workspaces, on a disk with room for them.
  const { XDG_CACHE_HOME, HOME } = process.env;
  const caches = XDG_CACHE_HOME || join(HOME || '.', '.cache');
  if (!isAbsolute(caches)) return undefined;
  const [word = ''] = process.argv.slice(2);
  const command = /^[a-z][a-z-]{0,30}$/.test(word) ? word : 'other';
  return openCodeCache(join(caches, 'carrel/code'), { build: COMMAND_LINE, command });
}

function requireFrom(from: string): (id: string) => unknown {
  const own = createRequire(from);
  return id => {
    if (RARELY_USED.has(id)) return whenUsed(() => own(id));
    if (id === 'carrel:import') return { importModule: (url: string) => import(url) };
    return id.startsWith('@libsql/') ? requireNative(own, id) : own(id);
  };
}

function whenUsed(load: () => Record<string | symbol, unknown>): object {
  return new Proxy({}, { get: (_, name) => load()[name] });
}

/** The native library is a dependency of libsql, and some package managers make it visible only to libsql. */
function requireNative(own: NodeJS.Require, id: string): unknown {
  try {
    return own(id);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    return createRequire(own.resolve('libsql'))(id);
  }
}
