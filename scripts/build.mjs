// Bundles src/ into dist/: one chunk per lazily loaded command, so that a command pays only for what it uses.
import { renameSync, rmSync } from 'node:fs';
import { rolldown } from 'rolldown';

// Built aside and put in place at the end, so that a build that fails leaves the last good one.
const draft = `.dist-${process.pid}`;

const bundle = await rolldown({
  input: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    testing: 'src/testing/index.ts',
    // For scripts/generate-docs.mjs only.
    docs: 'src/cli/reference.ts',
  },
  platform: 'node',
  // libsql carries a native library and must be resolved at run time; vitest is only ever there in a test run.
  external: ['libsql', 'vitest'],
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
});
await bundle.write({ dir: draft, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', minify: false });
await bundle.close();
rmSync('dist', { recursive: true, force: true });
renameSync(draft, 'dist');
