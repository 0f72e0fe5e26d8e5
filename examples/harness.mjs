// A harness: runs an agent on several tasks at once, each in its own environment, and checks what it did.
// node examples/harness.mjs [REPOSITORY]
import { createIsolationProvider } from 'carrel';

const repository = process.argv[2] ?? '.';
const tasks = ['apple', 'pear', 'plum'].map(fruit => ({
  id: `note-${fruit}`,
  repository, // a path or a URL
  commit: 'HEAD', // a commit, tag or branch
  setupFiles: { 'TASK.md': 'Write the name of the fruit to out/note.txt.\n' },
  setup: ['mkdir out'],
  environment: { FRUIT: fruit },
}));

// Your agent goes here. This one is a command; it could be a function that calls a model and `environment.run()`.
const agent = environment =>
  environment.run({ command: ['sh', '-c', 'echo "$FRUIT" > out/note.txt'], timeoutMs: 60_000 });

const provider = createIsolationProvider({ isolation: 'worktree', parallelism: 2 });
process.once('SIGINT', () => provider.destroyAll());

async function attempt(task) {
  // The third task waits here until one of the others is done.
  const environment = await provider.acquire(task, { timeoutMs: 600_000 });
  try {
    const { exitCode } = await agent(environment);
    const { patch } = await environment.collectPatch();
    const note = await environment.readFile('out/note.txt', 1000);
    const hasPassed = exitCode === 0 && note?.toString().trim() === task.environment.FRUIT;
    return { id: task.id, hasPassed, patch: patch.toString() };
  } finally {
    await provider.release(environment);
  }
}

try {
  for (const { taskId, reason } of await provider.init(tasks)) console.error(`${taskId}: ${reason}`);
  const results = await Promise.all(tasks.map(attempt));
  for (const { id, hasPassed, patch } of results) {
    const files = [...patch.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, name]) => name);
    console.log(id, hasPassed ? 'passed' : 'failed', files.join(' '));
  }
  const { acquired, inUse, waiting } = provider.getStats();
  console.log(`${acquired} environments, ${inUse} in use, ${waiting} waiting`);
} finally {
  await provider.destroyAll();
}
