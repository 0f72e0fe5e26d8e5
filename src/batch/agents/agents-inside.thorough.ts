import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { makeItem, tryAgent } from '../../../test/helpers/batch/agent-request.js';
import { writeFiles } from '../../../test/helpers/repository.js';
import { makeTaskSite } from '../../../test/helpers/task/task-site.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import type { Context } from '../../operations/context.js';
import { createBatchProvider } from '../create-provider.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import { resolveEvalAgent } from './resolve-eval-agent.js';

/** Runs with an attempt's workspace whose commands run in a sandbox. */
async function withSandbox(
  context: TestContext,
  work: (app: Context, environment: TaskEnvironment) => Promise<void>,
): Promise<void> {
  requireBubblewrap(context);
  const { app } = await makeTaskSite();
  const item = makeItem();
  const provider = createBatchProvider(app, { isolation: 'full', parallelism: 1 });
  try {
    expect(await provider.init([item])).toEqual([]);
    const environment = await provider.acquire(item);
    await work(app, environment);
    await provider.release(environment);
  } finally {
    await provider.destroyAll();
  }
}

const MODULE = `export default async ({ tools, log }) => {
  const ask = async (name, input) => log((await tools[name].run(input)).output.trim());
  await ask('read_file', { path: SECRET });
  await ask('write_file', { path: '/tmp/only-inside/note.txt', content: 'kept' });
  await ask('bash', { command: 'cat /tmp/only-inside/note.txt 2>/dev/null || echo gone' });
  await ask('write_file', { path: 'src/deep/made.txt', content: 'needle one\\n' });
  await ask('edit_file', { path: 'src/deep/made.txt', old_text: 'one', new_text: 'two' });
  await ask('write_file', { path: 'node_modules/some/made.txt', content: 'needle' });
  await ask('bash', { command: 'ln -s made.txt src/deep/link.txt' });
  await ask('read_file', { path: 'src/deep/link.txt' });
  await ask('grep', { pattern: 'needle' });
  await ask('glob', { pattern: '*.txt' });
  await ask('glob', { pattern: 'passwd', path: '/etc' });
  await ask('grep', { pattern: 'needle', path: 'src/deep/made.txt' });
  await ask('bash', { command: 'pwd', cwd: 'src' });
  await ask('bash', { command: 'pwd', cwd: 'nowhere' });
  await ask('read_file', { path: 'src' });
  await Promise.all([ask('bash', { command: 'sleep 0.3; echo first' }), ask('read_file', { path: '/etc/hostname' })]);
};`;

test(
  'programs and functions in a sandbox have their prompt, handoff directory and tools inside',
  context =>
    withSandbox(context, async (app, environment) => {
      const { workingDirectory } = environment;
      const command =
        'cmp - "$CARREL_PROMPT_FILE" && echo "$CARREL_PROMPT_FILE $CARREL_WORKING_DIRECTORY" && touch "$CARREL_OUTPUT_DIR/x"';
      const program = await resolveEvalAgent(app, command, { repositoryRoot: null });
      expect(await tryAgent(program, { environment })).toMatchObject({
        ending: 'done',
        message: `/home/agent/.carrel-agent/prompt.md ${workingDirectory}`,
      });

      const outside = tempDir();
      const secret = join(outside, 'secret.txt');
      writeFiles(outside, {
        'secret.txt': 'secret\n',
        'agent.mjs': MODULE.replace('SECRET', JSON.stringify(secret)),
      });
      const module = await resolveEvalAgent(app, join(outside, 'agent.mjs'), { repositoryRoot: null });
      const { ending, lines } = await tryAgent(module, { environment });
      expect(ending).toBe('done');
      expect(lines.filter(line => line.startsWith('stdout: ')).map(line => line.slice(8))).toEqual([
        `${secret}: no such file or directory`,
        'wrote 4 bytes to /tmp/only-inside/note.txt',
        'gone',
        'wrote 11 bytes to src/deep/made.txt',
        'replaced one piece of src/deep/made.txt',
        'wrote 6 bytes to node_modules/some/made.txt',
        '',
        'needle two',
        'src/deep/made.txt:1:needle two',
        'file.txt',
        'src/deep/link.txt',
        'src/deep/made.txt',
        '/etc/passwd',
        'src/deep/made.txt:1:needle two',
        `${workingDirectory}/src`,
        'nowhere: no such file or directory',
        'src: it is a directory',
        expect.anything(),
        expect.anything(),
      ]);
      expect(lines).toContain('stdout: first');
    }),
  60_000,
);
