import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { bundle } from './bundle.js';

/** A small test program that runs in a separate process and uses modules of the source. */
export interface Program {
  readonly pid: number;
  /** Waits for the first line that begins with `word` and gives the rest of it. */
  printed(word: string): Promise<string>;
  /** Lets a program that calls `await go()` continue. */
  go(): void;
  kill(): void;
  /** Exit status (null when killed), everything printed, and complaints. */
  readonly ended: Promise<{ status: number | null; lines: string[]; stderr: string }>;
}

export interface ProgramModules {
  /** Files to bundle, by the names that programs import them with: `./NAME.js`. */
  readonly modules: Readonly<Record<string, string>>;
  /** Goes before every program. */
  readonly imports: string;
  /** Words before the program, such as those of a command that makes another user of us. */
  readonly launcher?: readonly string[] | undefined;
}

/** Bundles the modules once per test file. Programs are module texts with the imports, `print`, `go` and `args` in scope. */
export function usePrograms({
  modules,
  imports,
  launcher = [],
}: ProgramModules): (program: string, ...args: string[]) => Program {
  let directory = '';
  let count = 0;
  beforeAll(async () => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-programs-')));
    // For other users too.
    chmodSync(directory, 0o755);
    await bundleModules(directory, modules);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return (program, ...args) => {
    const file = join(directory, `program-${count++}.mjs`);
    writeFileSync(file, `${imports}\n${PREAMBLE}${program}`);
    const [command = '', ...words] = [...launcher, process.execPath, file, ...args];
    return startProgram(spawn(command, words, { stdio: ['pipe', 'pipe', 'pipe'] }));
  };
}

const PREAMBLE = `
import { once } from 'node:events';
const args = process.argv.slice(2);
const print = line => process.stdout.write(line + '\\n');
const go = async () => { await once(process.stdin, 'data'); process.stdin.destroy(); };
`;

async function bundleModules(directory: string, modules: ProgramModules['modules']): Promise<void> {
  await bundle(modules, { dir: directory });
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
}

function startProgram(child: ChildProcess): Program {
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
    printed: async word => {
      for (;;) {
        const line = lines.find(candidate => candidate.startsWith(word));
        if (line !== undefined) return line.slice(word.length).trim();
        if (child.exitCode !== null) throw new Error(`the program ended without printing ${word}: ${stderr}`);
        await Promise.race([once(output, 'line'), ended]);
      }
    },
    go: () => void child.stdin?.write('go\n'),
    kill,
    ended,
  };
}
