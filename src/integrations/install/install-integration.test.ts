import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { type InstallInput, install } from './install-integration.js';
import { installableNames } from './installable-agents.js';

function makePlaces() {
  const directory = tempDir();
  const [project, home] = [join(directory, 'project'), join(directory, 'home')];
  writeFiles(directory, { 'project/README.md': '', 'home/.profile': '' });
  const run = (wish: Partial<InstallInput>) =>
    install({
      agent: 'claude',
      scope: 'project',
      action: 'add',
      withHooks: true,
      project,
      home,
      environment: {},
      stateDir: join(directory, 'state'),
      ...wish,
    });
  const read = (file: string) => readFileSync(join(directory, file), 'utf8');
  return { directory, project, home, run, read };
}

it('writes what it shows, once, and removes it again', async () => {
  for (const agent of installableNames) {
    const { run } = makePlaces();
    const shown = await run({ agent, action: 'show' });
    expect(shown.files.map(({ file }) => existsSync(file))).toEqual(shown.files.map(() => false));
    const written = await run({ agent });
    for (const { file, status, content } of written.files)
      expect([status, readFileSync(file, 'utf8')]).toEqual(['written', content]);
    const again = await run({ agent });
    expect(again.files.map(({ status }) => status)).toEqual(written.files.map(() => 'unchanged'));
    const removed = await run({ agent, action: 'remove' });
    expect(removed.files.map(({ status }) => status)).toEqual(written.files.map(() => 'removed'));
    expect(removed.files.filter(({ file }) => existsSync(file))).toEqual([]);
    const nothing = await run({ agent, action: 'remove' });
    expect(nothing.files.map(({ status }) => status)).toEqual(written.files.map(() => 'unchanged'));
  }
});

it('changes nothing else in a JSON file, keeps a backup, and restores the file', async () => {
  const { run, read, directory } = makePlaces();
  const mcp = '{\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "x"\n\t\t}\n\t},\n\t"more": 1\n}\n';
  const settings = '{\n  "model": "m",\n  "hooks": {\n    "Stop": []\n  }\n}\n';
  writeFiles(directory, { 'project/.mcp.json': mcp, 'project/.claude/settings.json': settings });
  const { files } = await run({});
  expect(readFileSync(files[0]?.backup as string, 'utf8')).toBe(mcp);
  expect(read('project/.mcp.json')).toMatchInlineSnapshot(`
    "{
    	"mcpServers": {
    		"other": {
    			"command": "x"
    		},
    		"carrel": {
    			"type": "stdio",
    			"command": "carrel",
    			"args": [
    				"mcp"
    			]
    		}
    	},
    	"more": 1
    }
    "
  `);
  expect(JSON.parse(read('project/.claude/settings.json'))).toMatchObject({
    model: 'm',
    hooks: {
      Stop: [],
      WorktreeCreate: [{ hooks: [{ type: 'command', command: 'carrel hook worktree-create' }] }],
    },
  });
  await run({ action: 'remove' });
  expect(read('project/.mcp.json')).toBe(mcp);
  expect(read('project/.claude/settings.json')).toBe(settings);
});

it('appends to a TOML file and removes only that, with all comments intact', async () => {
  const { run, read, directory } = makePlaces();
  const before = '# mine\nmodel = "m" # the best\n\n[mcp_servers.other]\ncommand = "x"\n';
  writeFiles(directory, { 'home/.codex/config.toml': before });
  const wish = { agent: 'codex', scope: 'user' } as const;
  await run(wish);
  const added = '\n[mcp_servers.carrel]\ncommand = "carrel"\nargs = ["mcp"]\n';
  expect(read('home/.codex/config.toml')).toBe(before + added);
  const more = '\n# about this\n[tools]\nx = true\n';
  writeFiles(directory, { 'home/.codex/config.toml': before + added + more });
  await run({ ...wish, action: 'remove' });
  expect(read('home/.codex/config.toml')).toBe(before + more);
});

it('edits no file when an edit could lose something in one of them', async () => {
  const { run, read, directory, project } = makePlaces();
  const commented = '{\n  // mine\n  "hooks": {}\n}\n';
  writeFiles(directory, { 'project/.claude/settings.json': commented });
  await expect(run({})).rejects.toMatchObject({ code: 'INSTALL_REFUSED' });
  expect(read('project/.claude/settings.json')).toBe(commented);
  expect(existsSync(join(project, '.mcp.json'))).toBe(false);
  writeFiles(directory, { 'project/opencode.json': '{ "id": 12345678901234567890 }' });
  await expect(run({ agent: 'opencode' })).rejects.toMatchObject({ code: 'INSTALL_REFUSED' });
  const inline = 'mcp_servers = { carrel = { command = "y" } }\n';
  writeFiles(directory, { 'home/.codex/config.toml': inline });
  const codex = run({ agent: 'codex', scope: 'user' });
  await expect(codex).rejects.toMatchObject({ code: 'INSTALL_REFUSED' });
  expect(read('home/.codex/config.toml')).toBe(inline);
});

it('keeps what the user has added to our entry', async () => {
  const { run, directory } = makePlaces();
  const own = { mcpServers: { carrel: { command: 'carrel', args: ['mcp'], env: { A: '1' } } } };
  const toml = '[mcp_servers.carrel]\nargs = ["mcp"]\ncommand = "carrel"\nstartup_timeout_sec = 20\n';
  writeFiles(directory, {
    'project/.gemini/settings.json': JSON.stringify(own),
    'project/.codex/config.toml': toml,
  });
  for (const agent of ['gemini', 'codex'] as const)
    expect((await run({ agent })).files).toMatchObject([{ status: 'unchanged' }]);
});

it("keeps a user's own worktree hook and reports it", async () => {
  const { run, read, directory } = makePlaces();
  const own = { hooks: { WorktreeCreate: [{ hooks: [{ type: 'command', command: 'mine' }] }] } };
  writeFiles(directory, { 'project/.claude/settings.json': JSON.stringify(own) });
  const { notes } = await run({});
  expect(notes).toEqual([expect.stringContaining('another hook for WorktreeCreate')]);
  expect(JSON.parse(read('project/.claude/settings.json')).hooks.WorktreeCreate).toEqual(
    own.hooks.WorktreeCreate,
  );
});

it("follows a user's link, but no link that leads outside the repository", async () => {
  const { run, read, directory, project, home } = makePlaces();
  writeFiles(directory, { 'dotfiles/gemini.json': '{}\n', 'home/.gemini/other': '' });
  symlinkSync(join(directory, 'dotfiles/gemini.json'), join(home, '.gemini/settings.json'));
  await run({ agent: 'gemini', scope: 'user' });
  expect(lstatSync(join(home, '.gemini/settings.json')).isSymbolicLink()).toBe(true);
  expect(JSON.parse(read('dotfiles/gemini.json'))).toHaveProperty('mcpServers.carrel');
  symlinkSync(join(directory, 'dotfiles'), join(project, '.gemini'));
  const outside = run({ agent: 'gemini' });
  await expect(outside).rejects.toMatchObject({ code: 'INSTALL_REFUSED' });
  expect(existsSync(join(directory, 'dotfiles/settings.json'))).toBe(false);
});

it('writes numbers back unchanged, and edits no file that would change otherwise', async () => {
  const { run, read, directory, project } = makePlaces();
  const costs = '{\r\n  "lastCost": 0.30000000000000004,\r\n  "caf\\u00e9": "a\\/b"\r\n}\r\n';
  writeFiles(directory, { 'home/.claude.json': costs });
  await run({ scope: 'user' });
  expect(read('home/.claude.json')).toContain('"lastCost": 0.30000000000000004,\r\n  "café": "a/b",\r\n');
  for (const text of [
    '{ "a": 1, "a": 2 }',
    '{ "a": 1e400 }',
    '{ "a": 1.10 }',
    '{ "b": 1, "7": 1, "5": 2 }',
  ]) {
    writeFiles(directory, { 'project/opencode.json': text });
    await expect(run({ agent: 'opencode' })).rejects.toMatchObject({ code: 'INSTALL_REFUSED' });
    expect(read('project/opencode.json')).toBe(text);
  }
  writeFileSync(join(project, 'opencode.json'), Buffer.from('{ "a": "\xff" }', 'latin1'));
  await expect(run({ agent: 'opencode' })).rejects.toMatchObject({ code: 'INSTALL_REFUSED' });
});

it('sets its own fields in a TOML table that the user has changed, and keeps the others', async () => {
  const { run, read, directory } = makePlaces();
  const own =
    '[mcp_servers.carrel]\n# mine\ncommand = "old" # or not\nstartup_timeout_sec = 20\n\n[tools]\nx = 1\n';
  writeFiles(directory, { 'project/.codex/config.toml': own });
  await run({ agent: 'codex' });
  expect(read('project/.codex/config.toml')).toBe(
    own
      .replace('command = "old" # or not', 'command = "carrel"')
      .replace('# mine\n', 'args = ["mcp"]\n# mine\n'),
  );
});

it('accepts hooks of any form', async () => {
  const forms = ['x', [1], { WorktreeCreate: [null] }, { WorktreeCreate: [{ hooks: {} }] }];
  for (const hooks of forms) {
    const { run, read, directory } = makePlaces();
    writeFiles(directory, { 'project/.claude/settings.json': JSON.stringify({ hooks }) });
    expect((await run({})).notes).not.toEqual([]);
    await run({ action: 'remove' });
    expect(JSON.parse(read('project/.claude/settings.json'))).toEqual({ hooks });
  }
});

it('does not touch protected files, non-files and broken links', async () => {
  const { run, read, directory, project } = makePlaces();
  writeFiles(directory, {
    'project/.mcp.json': '{}\n',
    'project/.gemini/settings.json/x': '',
    'project/.codex': '',
  });
  chmodSync(join(project, '.mcp.json'), 0o444);
  symlinkSync('nowhere.json', join(project, 'opencode.json'));
  for (const agent of ['claude', 'gemini', 'codex', 'opencode'] as const)
    await expect(run({ agent })).rejects.toMatchObject({ code: 'INSTALL_REFUSED' });
  expect(read('project/.mcp.json')).toBe('{}\n');
  expect(lstatSync(join(project, 'opencode.json')).isSymbolicLink()).toBe(true);
});

it("keeps a file's mode, and an empty file behind a user's link", async () => {
  const { run, read, directory, home } = makePlaces();
  writeFiles(directory, { 'dotfiles/mcp.json': '{}\n', 'home/.cursor/other': '' });
  chmodSync(join(directory, 'dotfiles/mcp.json'), 0o600);
  symlinkSync(join(directory, 'dotfiles/mcp.json'), join(home, '.cursor/mcp.json'));
  await run({ agent: 'cursor', scope: 'user' });
  expect(statSync(join(directory, 'dotfiles/mcp.json')).mode & 0o777).toBe(0o600);
  await run({ agent: 'cursor', scope: 'user', action: 'remove' });
  expect(read('home/.cursor/mcp.json')).toBe('{}\n');
});
