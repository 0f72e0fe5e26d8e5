// Bundles src/ into dist/: one chunk per lazily loaded command, so that a command pays only for what it uses.
import { rmSync } from 'node:fs';
import { rolldown } from 'rolldown';

rmSync('dist', { recursive: true, force: true });

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
await bundle.write({ dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', minify: false });
await bundle.close();
