import { expect, onTestFinished, test } from 'vitest';
import { thoroughTest } from '../../test/helpers/flavours.js';
import { findByWord } from '../../test/helpers/machine/processes.js';
import { makeStorySite } from '../../test/helpers/task/story-site.js';
import { waitFor } from '../../test/helpers/wait-for.js';
import { openApp } from '../app.js';
import { createClient } from '../surfaces/client/create-client.js';
import type { LoadedStory } from './load-stories.js';
import { runStory } from './run-story.js';

/** A proxy between the validator and a real server; `pass` forwards the request. */
type Between = (call: string, pass: () => Promise<Response>) => Promise<Response>;

async function makeValidator(agent: string, between: Between) {
  const site = await makeStorySite(agent);
  const context = await openApp({ environment: site.environment, cwd: site.repository });
  onTestFinished(() => context.close());
  const client = createClient({
    baseUrl: site.url,
    token: site.token,
    fetch: (input, init) =>
      between(`${init?.method} ${new URL(String(input)).pathname}`, () => fetch(input, init)),
  });
  const story: LoadedStory = {
    ...{ name: 'one', file: '/stories/one.yaml', repository: site.repository, story: 'Do it' },
    ...{ expectations: [], timeoutSeconds: 60, tags: [] },
  };
  const run = (more: Partial<LoadedStory> = {}, signal = new AbortController().signal) =>
    runStory({ client, context, tell: () => undefined }, { ...story, ...more }, { keep: false, signal });
  return { site, run };
}

const isSubmit = (call: string) => call === 'POST /api/developer/workflows';
const broken = () =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNRESET' }) });

thoroughTest('a lost response neither fails a story nor runs it twice', async () => {
  const lost = new Set<string>();
  const { site, run } = await makeValidator('echo x >> x.txt', async (call, pass) => {
    const answer = await pass();
    if (call.startsWith('GET /api/events') || lost.has(call)) return answer;
    lost.add(call);
    await answer.body?.cancel();
    throw broken();
  });
  expect(await run()).toMatchObject({
    passed: true,
    status: 'completed',
    failure: null,
    worktreeKept: false,
  });
  expect([...lost].some(isSubmit)).toBe(true);
  expect(await site.client.developer.list()).toHaveLength(1);
});

test.each(['before', 'after'] as const)(
  'an interruption while a story is sent cancels it: %s the server has it',
  async when => {
    const interruption = new AbortController();
    const { site, run } = await makeValidator('exec sleep 600', async (call, pass) => {
      if (isSubmit(call) && when === 'before') interruption.abort();
      const answer = await pass();
      if (isSubmit(call)) interruption.abort();
      return answer;
    });
    expect(await run({}, interruption.signal)).toMatchObject({
      status: 'cancelled',
      failure: 'it was interrupted',
    });
    expect(await site.client.tasks.list({ status: 'cancelled' })).toHaveLength(1);
  },
);

thoroughTest(
  'a story whose process dies is followed until the server has resumed and finished it',
  async () => {
    const { site, run } = await makeValidator(
      'echo $$ >> "$TALLY"; [ $(wc -l < "$TALLY") -gt 1 ] || exec sleep 600; echo x > x.txt',
      (_, pass) => pass(),
    );
    const result = run();
    await waitFor('the agent', () => site.tally()[0]);
    const [task] = await site.client.tasks.list();
    const workers = findByWord(task?.id as string);
    expect(workers).toHaveLength(1);
    for (const pid of workers) process.kill(pid, 'SIGKILL');
    expect(await result).toMatchObject({ passed: true, status: 'completed', failure: null });
    expect(site.tally()).toHaveLength(2);
  },
  60_000,
);

thoroughTest('a story fails when its commands delete the worktree', async () => {
  const { run } = await makeValidator('echo x > x.txt', (_, pass) => pass());
  const result = await run({
    expectations: [{ type: 'tests_pass', command: 'rm -rf "$PWD"' }, { type: 'compiles' }],
  });
  expect(result).toMatchObject({ passed: false, failure: expect.stringContaining('compiles') });
});
