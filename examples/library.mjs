// A task from a program. The agent of this workflow is a shell script; with `agent: 'claude'` it is Claude Code.
// node examples/library.mjs PATH-OF-A-REPOSITORY
import { createCarrel } from 'carrel';

const carrel = await createCarrel({ repository: process.argv[2] });
try {
  const { id } = await carrel.createTask({
    description: 'Say hello in greeting.txt',
    workflow: 'greet',
    trust: true,
  });
  const running = carrel.executeTask(id, {
    signal: AbortSignal.timeout(60_000),
    observer: { onLine: ({ stream, text }) => stream === 'stdout' && console.log(`  ${text}`) },
  });
  for await (const event of carrel.events({ taskId: id })) console.log(event.type);
  const { status, branch, validation } = await running;
  console.log(status, 'on', branch, validation);
} finally {
  await carrel.close();
}
