import { createInterface } from 'node:readline/promises';
import { printable } from './printable.js';

/** Asks on the terminal; only an explicit yes counts. The question goes to stderr. */
export async function askYesOrNo(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // readline turns Ctrl-C into a key; turn it into a signal again.
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // Ctrl-D closes the terminal's line without an answer.
  const closed = new Promise<string>(resolve => terminal.once('close', () => resolve('')));
  try {
    const reply = await Promise.race([terminal.question(`${printable(question)} [y/N] `), closed]);
    return /^y(es)?$/i.test(reply.trim());
  } finally {
    terminal.close();
  }
}
