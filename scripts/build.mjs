// Bundles src/ into dist/. The library is split into chunks, so that a program loads only what it uses. The command line
// is one file whose parts run when they are needed, so that its compiled code can be kept in one piece (src/surfaces/cli/startup/start.ts).
import { createHash } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { build as buildPages } from 'vite';
import { keepLines } from './source-map.mjs';

// Built aside and put in place at the end, so that a build that fails leaves the last good one.
const draft = `.dist-${process.pid}`;
const typescript = { '.js': ['.ts', '.js'] };
// The names of functions and classes stay, for stack traces.
const minify = { mangle: { toplevel: true, keepNames: true } };
const maps = { sourcemap: true, sourcemapExcludeSources: true };

/**
 * What runs as a script can import no module of the user's (with the option for it, Node 20 prints a warning), so that
 * src/surfaces/cli/startup/start.ts does it.
 */
const importOutside = {
  name: 'import-outside',
  resolveId: id => (id.endsWith('/import-module.js') ? { id: 'carrel:import', external: true } : undefined),
};

await buildLibrary();
await buildStart(await buildCommandLine());
await buildDashboard();
rmSync('dist', { recursive: true, force: true });
renameSync(draft, 'dist');

async function buildLibrary() {
  const files = await bundle(
    {
      input: {
        index: 'src/index.ts',
        advanced: 'src/advanced.ts',
        testing: 'src/testing/index.ts',
        tools: 'src/tools/index.ts',
        client: 'src/surfaces/client/index.ts',
        // Loaded by the command line for the one command that needs it: src/surfaces/cli/startup/load-part.ts.
        server: 'src/surfaces/http/serve.ts',
        mcp: 'src/surfaces/mcp/serve-mcp.ts',
      },
      // Dependencies of the package, and vitest, which is only there in a test run.
      external: ['libsql', 'pg-boss', 'vitest', /^zod(\/|$)/],
      resolve: { extensionAlias: typescript },
      // The groups below need it. No entry gets another export: test/e2e/package.test.ts.
      preserveEntrySignatures: 'allow-extension',
      // Some dynamic imports are for the command line, where each is a part that runs when it is needed.
      checks: { ineffectiveDynamicImport: false },
    },
    {
      dir: draft,
      format: 'esm',
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: { groups: [layers('base', /domain|exec|tools/), layers('core', /[a-z]+/)] },
      minify,
      ...maps,
    },
  );
  for (const { fileName, source } of files.filter(({ fileName }) => fileName.endsWith('.map')))
    writeFileSync(`${draft}/${fileName}`, keepLines(JSON.parse(source)));
}

/**
 * What several entries use of these folders, in one chunk: without it there are sixty, most of them tiny. Lower layers
 * never import higher ones, so that the chunks don't either.
 */
function layers(name, folders) {
  const test = new RegExp(`/src/(${folders.source})(/|\\.ts$)`);
  return { name, test, minShareCount: 2, includeDependenciesRecursively: false };
}

/** Gives the name of the file. */
async function buildCommandLine() {
  const nativeTarget = resolve('src/store/sqlite/native-target.ts');
  const [{ code, map }] = await bundle(
    {
      input: 'src/surfaces/cli/main.ts',
      // Of libsql only the native library stays outside.
      external: [/^@libsql\//, 'pg-boss'],
      plugins: [importOutside],
      resolve: {
        extensionAlias: typescript,
        alias: { '@neon-rs/load': nativeTarget, 'detect-libc': nativeTarget },
      },
    },
    // As if it were in the draft, for the paths of the map.
    { dir: draft, format: 'cjs', codeSplitting: false, minify, ...maps },
    { write: false },
  );
  const text = toAscii(
    `(function (require, __filename, __dirname) {"use strict";\n${withoutLink(code)}\n})\n`,
  );
  const name = `cli-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.cjs`;
  writeFileSync(`${draft}/${name}`, text);
  writeFileSync(`${draft}/${name}.map`, keepLines(map, { linesBefore: 1, shift: asciiShift(code) }));
  return name;
}

/** src/operations/diagnosis/source-stack.ts finds the map by its name. */
function withoutLink(code) {
  return code.replace(/\/\/# sourceMappingURL=.*\s*$/, '');
}

/** One character beyond ASCII would make V8 keep the whole file with two bytes for each. */
function toAscii(code) {
  return code.replaceAll(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Where toAscii moves the columns of a line; to be asked from left to right. */
function asciiShift(code) {
  const lines = code.split('\n');
  return number => {
    const line = lines[number] ?? '';
    let seen = 0;
    let added = 0;
    return column => {
      for (; seen < column; seen++) if (line.charCodeAt(seen) > 0x7f) added += '\\uffff'.length - 1;
      return column + added;
    };
  };
}

async function buildStart(commandLine) {
  await bundle(
    {
      input: 'src/surfaces/cli/startup/start.ts',
      resolve: { extensionAlias: typescript },
      transform: { define: { COMMAND_LINE: JSON.stringify(commandLine) } },
    },
    { file: `${draft}/start.cjs`, format: 'cjs', codeSplitting: false },
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

async function bundle(input, output, { write = true } = {}) {
  const made = await rolldown({ platform: 'node', ...input });
  const { output: files } = write ? await made.write(output) : await made.generate(output);
  await made.close();
  return files;
}
