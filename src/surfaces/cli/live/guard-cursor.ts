/** Something that paints on a terminal. */
interface TerminalUser {
  /** Another program has the terminal until the next frame. */
  readonly pause: () => void;
  /** Idempotent. */
  readonly close: () => void;
}

/**
 * Restores a hidden cursor when the process exits and when Ctrl-Z leads to the shell. Returns a function that removes
 * the handlers.
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
