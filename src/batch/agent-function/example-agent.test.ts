import { resolve } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tryAgent } from '../../../test/helpers/batch/agent-request.js';
import { startModelServer } from '../../../test/helpers/model-server/server.js';
import { loadModuleAgent } from './module-agent.js';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples');

test('the example agent works through the tools with a scripted model', async () => {
  const { url, requests } = await startModelServer({
    script: [
      { tool: 'grep', input: { pattern: 'old' } },
      { tool: 'edit_file', input: { path: 'file.txt', old_text: 'old', new_text: 'new' } },
      { tool: 'no_such_tool', input: {} },
      { say: 'It says new.' },
    ],
  });
  vi.stubEnv('MODEL_URL', url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const agent = await loadModuleAgent({ cwd: EXAMPLES, now: Date.now }, 'agent.mjs', undefined);
  const { environment, ending, message, usage } = await tryAgent(agent);
  expect([ending, message]).toEqual(['done', 'It says new.']);
  expect(usage).toEqual({ inputTokens: 400, outputTokens: 40, costUsd: null });
  expect((await environment.readFile('file.txt', 100))?.toString()).toBe('new\n');
  const asked = JSON.stringify(requests.at(-1)?.body);
  for (const part of ['file.txt:1:old', 'replaced one piece of file.txt', 'no such tool'])
    expect(asked).toContain(part);
});
