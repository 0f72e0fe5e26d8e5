import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRecorded } from '../../../test/helpers/agent/recorded-agent.js';
import {
  MAKE_TWO_FILES,
  runScripted,
  type ScriptedAgent,
} from '../../../test/helpers/agent/scripted-agent.js';
import { git } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { createGeminiReader } from '../readers/gemini-reader.js';

const AGENT: ScriptedAgent = {
  preset: 'gemini',
  model: 'gemini-2.5-pro',
  environment: url => ({
    GEMINI_API_KEY: 'scripted-key',
    GOOGLE_GEMINI_BASE_URL: url,
    HOME: makeHome(),
  }),
};

/** With a base URL it treats the host as a gateway, and then has no way to sign in (0.61.0). */
function makeHome(): string {
  const home = tempDir();
  mkdirSync(join(home, '.gemini'));
  const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
  writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings));
  return home;
}

test('the real program runs its tools unattended on the host, and reports its usage', async context => {
  const { ending, reader, cwd, asked, outputDir } = await runScripted(context, AGENT, [
    { tool: 'run_shell_command', input: { command: MAKE_TWO_FILES } },
    { tool: 'write_file', input: { file_path: 'other.txt', content: 'other' } },
    { say: 'It is made.', usage: { inputTokens: 500, outputTokens: 7, cachedTokens: 40 } },
  ]);
  expect(ending).toBeUndefined();
  expect(git(cwd, 'status', '--porcelain')).toBe('?? made.txt\n?? other.txt');
  expect(readdirSync(outputDir)).toEqual(['plan.md']);
  expect(reader.message()).toBe('It is made.');
  expect(reader.usage()).toEqual({ inputTokens: 740, outputTokens: 27, costUsd: null });
  expect(asked).toContain('Do as the script says.');
});

test('the real program reports a refused key', async context => {
  const { reader } = await runScripted(context, AGENT, [{ status: 401 }]);
  expect(reader.problem()).toEqual({ kind: 'key-missing', text: 'scripted 401' });
});

const read = (file: string) => readRecorded(createGeminiReader(), file);

test('recorded: usage, and the text after the last tool', () => {
  const reader = read('gemini-done.jsonl');
  expect([reader.usage(), reader.message(), reader.problem()]).toMatchInlineSnapshot(`
    [
      {
        "costUsd": null,
        "inputTokens": 250,
        "outputTokens": 20,
      },
      "All done.",
      undefined,
    ]
  `);
});

test('recorded: an unknown key is refused with status 400', () => {
  expect(read('gemini-400.jsonl').problem()).toMatchInlineSnapshot(`
    {
      "kind": "key-missing",
      "text": "scripted 400",
    }
  `);
});

test('recorded: after many attempts only the exit status has the HTTP status', () => {
  const reader = read('gemini-429.jsonl');
  reader.readExit?.(173);
  expect(reader.problem()).toMatchInlineSnapshot(`
    {
      "kind": "rate-limited",
      "retryAfterMs": undefined,
      "text": "[API Error: scripted 429]",
    }
  `);
});

test('a missing login has its own exit status', () => {
  const reader = createGeminiReader();
  reader.readExit?.(41);
  expect(reader.problem()?.kind).toBe('key-missing');
});
