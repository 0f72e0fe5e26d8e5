// A batch from a program, with an agent that is a function: one that corrects the spelling, and nothing else.
// node examples/batch.mjs
import { createCarrel } from 'carrel';

async function speller({ tools }) {
  const { output: files } = await tools.glob.run({ pattern: 'src/**/*.js' });
  for (const path of files.split('\n')) {
    const { output: text } = await tools.read_file.run({ path });
    await tools.write_file.run({ path, content: text.replaceAll('Helo', 'Hello') });
  }
}

const carrel = await createCarrel();
try {
  const filter = { taskIds: ['fix-typo-001', 'fix-import-001'] };
  const { passRate, totals, directory } = await carrel.batches.run(
    { dataset: 'golden', agent: speller, filter, parallelism: 2 },
    { observer: { onAttempt: ({ taskId, outcome }) => console.log(taskId, outcome) } },
  );
  console.log(`passed ${passRate * 100}%`, totals, 'see', directory);
} finally {
  await carrel.close();
}
