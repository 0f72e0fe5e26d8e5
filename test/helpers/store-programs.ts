import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** A small program of a test's own that runs in a process of its own and uses the real store. */
export interface StoreProgram {
  readonly pid: number;
  /** Waits until the program has printed this line. */
  printed(line: string): Promise<void>;
  /** Lets a program that calls `await go()` continue. */
  go(): void;
  kill(): void;
  /** Exit status (null when killed), everything printed, and complaints. */
  readonly ended: Promise<{ status: number | null; lines: string[]; stderr: string }>;
}

/**
 * Bundles the store once per test file. Programs are module texts with `openSqliteStore`, `withRepositoryLock`,
 * `print`, `go` and `args` in scope.
 */
export function useStorePrograms(): (program: string, ...args: string[]) => StoreProgram {
  let directory = '';
  let count = 0;
  beforeAll(async () => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-store-')));
    await bundleStore(directory);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return (program, ...args) => {
    const file = join(directory, `program-${count++}.mjs`);
    writeFileSync(file, PREAMBLE + program);
    return startProgram(spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'pipe'] }));
  };
}

const PREAMBLE = `
import { once } from 'node:events';
import { openSqliteStore } from './open-sqlite-store.js';
import { withRepositoryLock } from './repository-lock.js';
const args = process.argv.slice(2);
const print = line => process.stdout.write(line + '\\n');
const go = async () => { await once(process.stdin, 'data'); process.stdin.destroy(); };
`;

async function bundleStore(directory: string): Promise<void> {
  const bundle = await rolldown({
    input: {
      'open-sqlite-store': 'src/store/sqlite/open-sqlite-store.ts',
      'repository-lock': 'src/store/repository-lock.ts',
    },
    platform: 'node',
    external: ['libsql'],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  await bundle.write({ dir: directory, format: 'esm' });
  await bundle.close();
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
}

function startProgram(child: ChildProcess): StoreProgram {
  const lines: string[] = [];
  let stderr = '';
  const output = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  output.on('line', line => lines.push(line));
  child.stderr?.on('data', chunk => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([status]) => ({ status: status as number | null, lines, stderr }));
  const kill = (): void => void child.kill('SIGKILL');
  onTestFinished(async () => {
    kill();
    await ended;
  });
  return {
    pid: child.pid as number,
    printed: async line => {
      while (!lines.includes(line)) {
        if (child.exitCode !== null) throw new Error(`the program ended without printing ${line}: ${stderr}`);
        await Promise.race([once(output, 'line'), ended]);
      }
    },
    go: () => void child.stdin?.write('go\n'),
    kill,
    ended,
  };
}
