// Builds src/ and dashboard/ into dist/. The code of the command line and of the library ships once, in one bundle
// (scripts/build/parts.mjs); the entries of the library name what they take from it. `carrel/client` and `carrel/tools` are
// files of their own: a browser needs the first, and neither needs the rest of Carrel.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build as buildPages } from 'vite';
import { bundle, maps, minify, source } from './build/bundle.mjs';
import { bundleParts } from './build/parts.mjs';
import { keepLines } from './build/source-map.mjs';

// Built aside and put in place at the end, so that a build that fails leaves the last good one.
const draft = `.dist-${process.pid}`;
mkdirSync(draft);

const BUNDLE = JSON.stringify(await bundleParts(draft));
const define = { transform: { define: { BUNDLE } } };
await buildStart();
await buildModule('parts', 'bundle/parts.ts', { external: ['zod'], ...define });
await buildModule('testing', 'testing/index.ts', { external: ['vitest', /\/contracts\.js$/] });
await buildModule('client', 'surfaces/client/index.ts', { platform: 'neutral' });
await buildModule('tools', 'tools/index.ts', { external: ['zod'] });
await writeEntries();
await buildDashboard();
rmSync('dist', { recursive: true, force: true });
renameSync(draft, 'dist');

async function buildStart() {
  const input = { input: source('surfaces/cli/startup/start.ts'), ...define };
  await bundle(input, { file: `${draft}/start.cjs`, format: 'cjs', codeSplitting: false });
}

async function buildModule(name, path, input) {
  const output = { dir: draft, format: 'esm', codeSplitting: false, minify, ...maps };
  const files = await bundle({ input: { [name]: source(path) }, ...input }, output);
  for (const { fileName, source } of files.filter(({ fileName }) => fileName.endsWith('.map')))
    writeFileSync(`${draft}/${fileName}`, keepLines(JSON.parse(source)));
}

/** The exports of an ES module are fixed before it runs, so they are written out. */
async function writeEntries() {
  const { give, loadPart } = await import(pathToFileURL(resolve(draft, 'parts.js')).href);
  const write = (name, ...lines) => {
    const names = Object.keys(loadPart(name)).sort().join(', ');
    const text = [...lines, `export const { ${names} } = loadPart('${name}');`, ''];
    writeFileSync(`${draft}/${name}.js`, text.join('\n'));
  };
  write('index', `import { loadPart } from './parts.js';`);
  write('advanced', `import { loadPart } from './parts.js';`);
  give('vitest', {});
  write(
    'contracts',
    `import * as vitest from 'vitest';`,
    `import { give, loadPart } from './parts.js';`,
    `give('vitest', vitest);`,
  );
}

/** The pages that `carrel serve` shows. */
async function buildDashboard() {
  // Vite heeds the caller's: with `test` or `development` it packs React's development form, and paths of this machine.
  process.env.NODE_ENV = 'production';
  await buildPages({
    configFile: 'dashboard/vite.config.mjs',
    logLevel: 'warn',
    build: { outDir: resolve(draft, 'dashboard'), emptyOutDir: true },
  });
}
