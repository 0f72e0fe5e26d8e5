import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { interleave, report, time } from './figures.mjs';

const run = promisify(execFile);
const binary = resolve(import.meta.dirname, '../bin/carrel.cjs');

/** The floor of any command is an empty Node process. */
export async function measureCommandStart(repeats) {
  const node = (...args) => time(() => run(process.execPath, args));
  const medians = await interleave(
    {
      'node -e 0': () => node('-e', '0'),
      'carrel --version': () => node(binary, '--version'),
      'carrel --help': () => node(binary, '--help'),
    },
    repeats,
  );
  report('Command start', medians);
}
