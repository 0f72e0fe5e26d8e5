import { createInterface } from 'node:readline/promises';

/** Asks on the terminal; only a clear yes is one. The question is narration, so it goes to stderr. */
export async function askYesOrNo(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // On a terminal that readline has, Ctrl-C is a key and no signal; make it one again.
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // Ctrl-D closes the terminal's line without an answer.
  const closed = new Promise<string>(resolve => terminal.once('close', () => resolve('')));
  try {
    const reply = await Promise.race([terminal.question(`${question} [y/N] `), closed]);
    return /^y(es)?$/i.test(reply.trim());
  } finally {
    terminal.close();
  }
}
