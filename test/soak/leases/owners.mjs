import { fork } from 'node:child_process';

const program = new URL('./owner.mjs', import.meta.url).pathname;

/**
 * Processes that use the pool at the same time. One that exits early is replaced, whether it was killed
 * or has left by itself; one that breaks is written into the journal.
 */
export function startOwners({ site, count, lanes, seed, bare, journal, onHandOut }) {
  const living = new Map();
  let started = 0;
  let isStopping = false;
  let resolveEnd;
  const ended = new Promise(resolve => {
    resolveEnd = resolve;
  });
  const start = () => {
    const options = JSON.stringify({ site, lanes, bare, seed: seed + ++started });
    const child = fork(program, [options], { env: site.environment, cwd: site.home, stdio: 'inherit' });
    living.set(child.pid, child);
    child.on('message', onHandOut);
    child.once('exit', (code, signal) => {
      living.delete(child.pid);
      if (code !== 0 && signal !== 'SIGKILL')
        journal.write({ event: 'died', target: child.pid, what: `ended with ${code ?? signal}` });
      if (!isStopping) start();
      else if (living.size === 0) resolveEnd();
    });
  };
  for (let index = 0; index < count; index++) start();
  return {
    kill: random => {
      const child = [...living.values()][Math.floor(random() * living.size)];
      if (!child) return;
      journal.write({ event: 'killing', target: child.pid });
      child.kill('SIGKILL');
    },
    /** Resolves when all have given back what they had and ended. */
    stop: () => {
      isStopping = true;
      for (const child of living.values()) if (child.connected) child.send('stop');
      if (living.size === 0) resolveEnd();
      return ended;
    },
  };
}
