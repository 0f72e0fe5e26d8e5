// Bundles src/ into dist/. The library is split into chunks, so that a program loads only what it uses. The command line
// is one file whose parts run when they are needed, so that its compiled code can be kept in one piece (src/cli/start.ts).
import { createHash } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { build as buildPages } from 'vite';

// Built aside and put in place at the end, so that a build that fails leaves the last good one.
const draft = `.dist-${process.pid}`;
const typescript = { '.js': ['.ts', '.js'] };

/**
 * What runs as a script can import no module of the user's (with the option for it, Node 20 prints a warning), so that
 * src/cli/start.ts does it.
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
  await bundle(
    {
      input: {
        index: 'src/index.ts',
        testing: 'src/testing/index.ts',
        tools: 'src/tools/index.ts',
        client: 'src/client/index.ts',
        // Loaded by the command line for the one command that needs it: src/cli/load-part.ts.
        server: 'src/server/serve.ts',
        mcp: 'src/mcp/serve-mcp.ts',
        // For scripts/generate-docs.mjs only.
        docs: 'src/cli/reference.ts',
      },
      // libsql carries a native library and must be resolved at run time; vitest is only ever there in a test run.
      external: ['libsql', 'vitest'],
      resolve: { extensionAlias: typescript },
    },
    { dir: draft, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' },
  );
}

/** Gives the name of the file. */
async function buildCommandLine() {
  const nativeTarget = resolve('src/store/sqlite/native-target.ts');
  const [{ code }] = await bundle(
    {
      input: 'src/cli/main.ts',
      // Of libsql only the native library stays outside.
      external: [/^@libsql\//],
      plugins: [importOutside],
      resolve: {
        extensionAlias: typescript,
        alias: { '@neon-rs/load': nativeTarget, 'detect-libc': nativeTarget },
      },
    },
    // Names stay, for stack traces.
    { format: 'cjs', codeSplitting: false, minify: { mangle: false } },
  );
  const text = toAscii(`(function (require, __filename, __dirname) {"use strict";${code}\n})\n`);
  const name = `cli-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.cjs`;
  writeFileSync(`${draft}/${name}`, text);
  return name;
}

/** One character beyond ASCII would make V8 keep the whole file with two bytes for each. */
function toAscii(code) {
  return code.replaceAll(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function buildStart(commandLine) {
  await bundle(
    {
      input: 'src/cli/start.ts',
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

async function bundle(input, output) {
  const made = await rolldown({ platform: 'node', ...input });
  const { output: files } =
    output.dir || output.file ? await made.write(output) : await made.generate(output);
  await made.close();
  return files;
}
