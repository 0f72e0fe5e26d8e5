// Writes the published types into dist/: one file for each entry, rolled up from what tsc emits.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const emitted = mkdtempSync(join(tmpdir(), 'carrel-types-'));
try {
  execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', emitted], {
    stdio: 'inherit',
  });
  // What two of them have is in shared.d.ts, so that a type of one is the same type in the others.
  await rollUp({ index: 'index.d.ts', advanced: 'advanced.d.ts', testing: 'testing/index.d.ts' });
  // Alone: a browser has no use for the types of Node that the others need.
  await rollUp({ client: 'surfaces/client/index.d.ts' });
  await rollUp({ tools: 'tools/index.d.ts' });
} finally {
  rmSync(emitted, { recursive: true, force: true });
}

async function rollUp(entries) {
  const made = await rolldown({
    cwd: emitted,
    input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(emitted, file)])),
    external: ['zod', 'pg-boss', 'vitest', /^node:/],
    plugins: [dts({ dtsInput: true, tsconfig: false })],
    checks: { bundlerTimings: false },
  });
  await made.write({
    dir: resolve('dist'),
    format: 'esm',
    minifyInternalExports: false,
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
    chunkFileNames: '[name].d.ts',
  });
  await made.close();
}
