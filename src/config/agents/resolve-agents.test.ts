import { expect, test } from 'vitest';
import { type DefinitionTexts, loadDefinitions } from '../../../test/helpers/task/definitions.js';
import { isCarrelError } from '../../domain/error/error.js';
import { type AgentRequest, resolveAgents } from './resolve-agents.js';

async function resolve(texts: DefinitionTexts, agents: string[], wishes: Partial<AgentRequest> = {}) {
  const { known, loaded } = await loadDefinitions(texts);
  const stages = agents.map((agent, index) => ({ name: `stage${index}`, agent }));
  const workflow = { name: 'w', description: '', stages };
  return resolveAgents({ workflow, known, usual: loaded.config.tasks.agent, ...wishes });
}

test('a role runs with the default agent, with its own settings on top', async () => {
  const texts = {
    user: `tasks: {agent: mine}
agents:
  mine: {preset: codex, model: small, arguments: [-a], environment: {A: "1"}, hosts: [example.com], instructions: mine}
  reviewer: {model: large, environment: {B: "2"}, files: {a.json: "{}"}}
`,
  };
  expect(await resolve(texts, ['planner', 'reviewer'])).toEqual({
    planner: {
      name: 'planner',
      program: { kind: 'preset', preset: 'codex', model: 'small' },
      arguments: ['-a'],
      instructions: expect.stringContaining('You plan'),
      environment: { A: '1' },
      passEnvironment: [],
      hosts: ['example.com'],
      files: {},
      result: 'codex',
    },
    reviewer: expect.objectContaining({
      program: { kind: 'preset', preset: 'codex', model: 'large' },
      instructions: expect.stringContaining('You review'),
      environment: { A: '1', B: '2' },
      files: { 'a.json': '{}' },
    }),
  });
});

test('a command is text or a list, gets its prompt on stdin, and prints text by default', async () => {
  const repository = `agents:
  a: {command: ./agent.sh}
  b: {command: [./agent.sh, -x], prompt: file, result: claude}
`;
  const { a, b } = await resolve({ repository }, ['a', 'b']);
  expect([a?.program, a?.result, a?.instructions]).toEqual([
    { kind: 'command', command: './agent.sh', prompt: 'stdin' },
    'text',
    null,
  ]);
  expect([b?.program, b?.result]).toEqual([
    { kind: 'command', command: ['./agent.sh', '-x'], prompt: 'file' },
    'claude',
  ]);
});

test('a replacement agent provides everything except instructions and files', async () => {
  const repository = `agents:
  developer: {command: ./agent.sh, arguments: [-a], files: {guide.md: text}}
  fast: {model: small}
`;
  const { developer, claude } = await resolve({ repository }, ['developer', 'claude'], { instead: 'codex' });
  expect(developer).toMatchObject({
    program: { kind: 'preset', preset: 'codex' },
    arguments: [],
    instructions: expect.stringContaining('You make the change'),
    files: { 'guide.md': 'text' },
  });
  expect(claude).toMatchObject({ name: 'claude', program: { preset: 'codex' }, instructions: null });
  const role = await resolve({ repository }, ['developer'], { instead: 'fast' });
  expect(role.developer?.program).toEqual({ kind: 'preset', preset: 'claude', model: 'small' });
});

test('errors for unknown names and cycles say who names them', async () => {
  const failure = (...args: Parameters<typeof resolve>) =>
    resolve(...args).then(
      () => 'none',
      error => (isCarrelError(error) ? `${error.message}\n${error.hint}` : error),
    );
  expect(await failure({}, ['planer'])).toMatchInlineSnapshot(`
    "stage stage0 of workflow w names the unknown agent "planer"; known: aider, amp, claude, codex, copilot, developer, gemini, opencode, planner, qwen, reviewer, tester
    did you mean planner?"
  `);
  expect(await failure({}, ['planner'], { instead: 'me' })).toMatch(
    /^--agent names the unknown agent "me"; known: /,
  );
  expect(await failure({ user: 'tasks: {agent: cluade}\n' }, ['planner'])).toMatch(
    /^tasks.agent names the unknown agent "cluade"; .*\ndid you mean claude\?$/,
  );
  expect(await failure({ user: 'tasks: {agent: tester}\n' }, ['planner'])).toMatchInlineSnapshot(`
    "tasks.agent, which must have a preset or a command, names the unknown agent "tester"; known: aider, amp, claude, codex, copilot, gemini, opencode, qwen
    define it in .carrel/agents/tester.md, or under agents: in the configuration"
  `);
  const files = { 'agents/planner.md': '---\npreste: x\n---\n' };
  expect(await failure({ files }, ['planner'])).toMatch(/planner\.md:2:1: unknown key "preste"/);
});
