import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** A small program of a test's own that shares a pool from a process of its own. */
export interface PoolProgram {
  readonly pid: number;
  /** The first line that begins with `word`, without it. */
  printed(word: string): Promise<string>;
  kill(): void;
  readonly ended: Promise<{ readonly status: number | null; readonly stderr: string }>;
}

/** Bundles the pool once per test file. Programs are module texts with `openPool`, `print` and `args` in scope. */
export function usePoolPrograms(): (program: string, ...args: string[]) => PoolProgram {
  let directory = '';
  let count = 0;
  beforeAll(async () => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-pool-')));
    await bundlePool(directory);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return (program, ...args) => {
    const file = join(directory, `program-${count++}.mjs`);
    writeFileSync(file, PREAMBLE + program);
    return startProgram(file, args);
  };
}

const PREAMBLE = `
import { openPool } from './open-pool.js';
const args = process.argv.slice(2);
const print = line => process.stdout.write(line + '\\n');
`;

async function bundlePool(directory: string): Promise<void> {
  const bundle = await rolldown({
    input: { 'open-pool': 'test/helpers/open-pool.ts' },
    platform: 'node',
    external: ['libsql'],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  await bundle.write({ dir: directory, format: 'esm' });
  await bundle.close();
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
}

function startProgram(file: string, args: readonly string[]): PoolProgram {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let stderr = '';
  const output = createInterface({ input: child.stdout });
  output.on('line', line => lines.push(line));
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([status]) => ({ status: status as number | null, stderr }));
  const kill = (): void => void child.kill('SIGKILL');
  onTestFinished(async () => {
    kill();
    await ended;
  });
  return {
    pid: child.pid as number,
    printed: async word => {
      for (;;) {
        const line = lines.find(candidate => candidate.startsWith(word));
        if (line !== undefined) return line.slice(word.length).trim();
        if (child.exitCode !== null) throw new Error(`the program ended without ${word}: ${stderr}`);
        await Promise.race([once(output, 'line'), ended]);
      }
    },
    kill,
    ended,
  };
}
