// Becomes dist/start.cjs, which bin/carrel.cjs loads: runs the command line from V8's compiled code of an earlier run.
// The same bundle, `carrel path`, best of 9 on a busy machine: 187 ms without it, 111 ms with it.
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { type Bundle, requireFrom } from '../../../bundle/outside.js';
import { type CodeCache, openCodeCache } from './code-cache.js';

/** The name of the bundle: one expression, all in ASCII. The build puts it here. */
declare const BUNDLE: string;

/** Most commands use none of them but crypto, and that while they wait for git. Together they take 8 ms to load. */
const rarelyUsed = new Set(
  [
    'crypto',
    'dns/promises',
    'http',
    'http2',
    'https',
    'net',
    'perf_hooks',
    'readline',
    'readline/promises',
    'tls',
    'worker_threads',
    'zlib',
  ].map(name => `node:${name}`),
);

const filename = join(__dirname, BUNDLE);
const cache = findCodeCache();
const cachedData = cache?.read();
const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData });
// At exit all needed functions are compiled, and only an existing command succeeds.
if (cache && (cachedData === undefined || script.cachedDataRejected))
  process.on('exit', exitCode => exitCode === 0 && cache.write(script.createCachedData()));
const bundle = script.runInThisContext() as Bundle;
bundle(requireFrom(filename, { given: new Map(), rarelyUsed }), filename, __dirname).cli?.();

function findCodeCache(): CodeCache | undefined {
  // Not CARREL_CACHE_DIR: that is for workspaces, on a disk with room for them.
  const { XDG_CACHE_HOME, HOME } = process.env;
  const caches = XDG_CACHE_HOME || join(HOME || '.', '.cache');
  if (!isAbsolute(caches)) return undefined;
  const [word = ''] = process.argv.slice(2);
  const command = /^[a-z][a-z-]{0,30}$/.test(word) ? word : 'other';
  return openCodeCache(join(caches, 'carrel/code'), { build: BUNDLE, command });
}
