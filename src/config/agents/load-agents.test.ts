import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadDefinitions } from '../../../test/helpers/task/definitions.js';
import { PRESET_NAMES } from '../../domain/agent/agent.js';

test('four roles and every preset are agents without any configuration', async () => {
  const { known } = await loadDefinitions({});
  expect([...known.byName.keys()]).toEqual(['planner', 'developer', 'reviewer', 'tester', ...PRESET_NAMES]);
  expect(known.byName.get('codex')?.settings).toEqual({ preset: 'codex' });
  expect(known.byName.get('planner')?.settings).toEqual({
    description: expect.any(String),
    instructions: expect.stringContaining('You plan'),
  });
});

test('an agent is merged key by key: built-in, the user, the repository, its file', async () => {
  const { known, repositoryRoot } = await loadDefinitions({
    user: 'agents: {developer: {preset: codex, model: small, environment: {A: "1"}}}\n',
    repository: 'agents: {developer: {model: large, arguments: [--fast]}, linter: {command: make lint}}\n',
    files: { 'agents/developer.md': '---\narguments: [--slow]\n---\nUse tabs.\n' },
  });
  const developer = known.byName.get('developer');
  expect(developer).toMatchObject({
    source: join(repositoryRoot, '.carrel/agents/developer.md'),
    settings: {
      description: 'makes a change, with tests',
      preset: 'codex',
      model: 'large',
      arguments: ['--slow'],
      environment: { A: '1' },
      instructions: 'Use tabs.',
    },
  });
  const keys = ['preset', 'model', 'arguments', 'environment', 'instructions'] as const;
  expect(keys.filter(key => developer?.fromRepository(key))).toEqual(['model', 'arguments', 'instructions']);
  expect(known.byName.get('linter')).toMatchObject({ source: 'configuration' });
});

test('a preset or command replaces the other one below it', async () => {
  const { known } = await loadDefinitions({
    repository: 'agents: {claude: {command: ./my-claude}, other: {command: one}}\n',
    files: { 'agents/other.md': '---\npreset: amp\n---\n' },
  });
  expect(known.byName.get('claude')?.settings).toEqual({ command: './my-claude' });
  expect(known.byName.get('other')?.settings).toEqual({ preset: 'amp' });
});

test('a file without front matter is a role; with it, its key and its text are both instructions', async () => {
  const { known } = await loadDefinitions({
    files: {
      'agents/plain.md': '\n# Be brief\n\nOne line.\n',
      'agents/both.md': '---\r\ninstructions: First.\r\n---\r\nThen.\r\n',
      'agents/notes.txt': 'no agent',
    },
  });
  expect(known.byName.get('plain')?.settings).toEqual({ instructions: '# Be brief\n\nOne line.' });
  expect(known.byName.get('both')?.settings).toEqual({ instructions: 'First.\n\nThen.' });
  expect(known.broken.size).toBe(0);
});

test('mistakes in a file are reported with line and column, and hide no other agent', async () => {
  const { known, repositoryRoot, userFile } = await loadDefinitions({
    files: {
      'agents/a.md': '---\ndescription: x\npreste: claude\n---\nText\n',
      'agents/b.md': '---\nfiles:\n  ../x: y\n---\n',
      'agents/c.md': '---\n\nhosts: [example.com]\n---\n',
      'agents/d.md': '---\npreset: claude\n',
      'agents/e f.md': 'text',
      'agents/g.md': '---\npreset: claude\ncommand: x\n---\n',
      'agents/planner.md': '---\na: [\n---\n',
    },
  });
  const messages = [...known.broken.values()].map(({ error }) => `${error.code} ${error.message}`);
  const place = join(repositoryRoot, '.carrel/agents/');
  expect(
    messages.map(text => text.replaceAll(place, '').replaceAll(userFile, 'USER')),
  ).toMatchInlineSnapshot(`
    [
      "CONFIG_UNKNOWN_KEY a.md:3:1: unknown key "preste"; expected one of description, preset, command, model, arguments, prompt, instructions, environment, passEnvironment, hosts, files, result",
      "CONFIG_INVALID b.md:3:3: files.../x is not an accepted name; expected a relative path without "..", such as "settings.json"",
      "CONFIG_USER_ONLY c.md:3:1: hosts can't be set by a repository; expected it in USER",
      "CONFIG_SYNTAX d.md:1:1: the front matter that starts here has no end; expected a line of --- below it",
      "CONFIG_INVALID e f.md:1:1: the file's name is "e f.md"; expected the name of an agent: letters, digits, "_" and "-"",
      "CONFIG_INVALID g.md:3:10: command is "x"; expected either a preset or a command",
      "CONFIG_SYNTAX planner.md:2:5: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ]
  `);
  expect(known.byName.has('developer')).toBe(true);
});

test('a link that leads outside the repository is not read', async () => {
  const first = await loadDefinitions({ files: { 'agents/a.md': 'mine' } });
  const secret = join(first.root, 'secret.txt');
  writeFileSync(secret, 'password');
  symlinkSync(secret, join(first.repositoryRoot, '.carrel/agents/b.md'));
  const { loadAgents } = await import('./load-agents.js');
  const { broken } = await loadAgents({ ...first, userFile: null });
  expect(broken.get('b')?.error.code).toBe('CONFIG_UNREADABLE');
});
