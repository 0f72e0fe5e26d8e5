import { spawn } from 'node:child_process';
import { childEnvironment, readOutput } from '../system/process.mjs';

/** Takes away what a run left in a repository of the bench: worktrees whose files are gone, branches, pins. */
export async function tidyRepository(directory) {
  const options = { cwd: directory, env: childEnvironment() };
  await readOutput('git', ['worktree', 'prune', '--expire=now'], options);
  const refs = (await readOutput('git', ['for-each-ref', '--format=%(refname)'], options)).split('\n');
  const orders = refs.filter(ref => ref && ref !== 'refs/heads/main').map(ref => `delete ${ref}\n`);
  if (orders.length === 0) return;
  const child = spawn('git', ['update-ref', '--stdin'], { ...options, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(orders.join(''));
  const status = await new Promise(resolve => child.once('exit', resolve));
  if (status !== 0) throw new Error(`git update-ref: ${status}`);
}
