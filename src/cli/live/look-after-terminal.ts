/** What paints on a terminal. */
interface TerminalUser {
  /** Somebody else has the terminal until the next picture. */
  readonly pause: () => void;
  /** Idempotent. */
  readonly close: () => void;
}

/**
 * A hidden cursor must not outlive us, nor be missed in the shell that Ctrl-Z leads to. Gives what ends the looking
 * after.
 */
export function lookAfterTerminal({ pause, close }: TerminalUser): () => void {
  const suspend = () => {
    pause();
    process.kill(process.pid, 'SIGSTOP');
  };
  const each = Object.entries({ exit: close, SIGTSTP: suspend });
  for (const [event, listener] of each) process.on(event, listener);
  return () => {
    for (const [event, listener] of each) process.off(event, listener);
  };
}
