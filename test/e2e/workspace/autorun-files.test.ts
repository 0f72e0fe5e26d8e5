import { expect, test } from 'vitest';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { connectMcp, textOf } from '../../helpers/server/mcp-client.js';
import { serveCarrel } from '../../helpers/server/served-carrel.js';
import { DESK_FILES, type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';

// Files that run commands by themselves, added or changed in a workspace.

const FILES = { ...DESK_FILES, '.gitignore': '.envrc\n.idea/\n', '.npmrc': 'fund=false\n' };

const makeSite = (config = ''): Fixture => makeFixture({ repository: makeRepository(FILES), config });

function plant(fixture: Fixture): void {
  writeFiles(fixture.path, { '.vscode/tasks.json': '{}\n', 'source/one.txt': 'two\n' });
  fixture.git('add', '--all');
  fixture.git('commit', '--quiet', '--message', 'work');
}

test('files that run automatically are listed by show, diff and land, including ignored ones', () => {
  const fixture = makeSite();
  plant(fixture);
  writeFiles(fixture.path, { '.mcp.json': '{}\n', '.envrc': 'evil\n', '.idea/workspace.xml': '<x/>\n' });
  writeFiles(fixture.repository, { '.idea/workspace.xml': '<x/>\n' });
  const paths = ['.mcp.json', '.vscode/tasks.json', '.envrc'];
  const page = fixture.ok('show', 'a');
  expect(page).toContain('Changed files that run automatically');
  expect(page).toContain('.envrc: direnv executes it when a shell enters the directory');
  const report = fixture.carrel.json<{ autorunFiles: { path: string }[] }>(fixture.repository, 'diff', 'a');
  expect(report.autorunFiles.map(({ path }) => path)).toEqual(paths);
  const { stdout, stderr } = fixture.run('diff', 'a', '--name-only');
  expect(stdout).toBe('.mcp.json\n.vscode/tasks.json\nsource/one.txt\n');
  for (const path of paths) expect(stderr).toContain(`warning: runs automatically: ${path}: `);
  const landed = fixture.run('land', 'a', '-m', 'more', '--keep');
  expect(landed.stderr).toContain('warning: runs automatically: .vscode/tasks.json: VS Code');
  expect(landed.stderr).toContain('warning: runs automatically: .mcp.json: ');
});

test('one that was taken out of the index, ignored and edited is listed by show', () => {
  const fixture = makeSite();
  writeFiles(fixture.path, { '.gitignore': '.envrc\n.idea/\n.npmrc\n' });
  fixture.git('rm', '--quiet', '--cached', '.npmrc');
  fixture.git('add', '--all');
  fixture.git('commit', '--quiet', '--message', 'out of sight');
  writeFiles(fixture.path, { '.npmrc': 'script-shell=./evil\n' });
  expect(fixture.ok('show', 'a')).toContain('.npmrc: ');
  expect(fixture.ok('diff', 'a', '--json')).toContain('".npmrc"');
});

test('land.autorunFiles: refuse keeps them off the branch until the user lets them through', () => {
  const fixture = makeSite('land:\n  autorunFiles: refuse\n');
  plant(fixture);
  const before = git(fixture.repository, 'rev-parse', 'main');
  expect(fixture.carrel.error(fixture.repository, 'land', 'a')).toMatchObject({
    status: 3,
    code: 'LAND_AUTORUN_FILES',
    message: 'a was not landed on main: it adds or changes files that run automatically: .vscode/tasks.json',
    details: { files: [{ path: '.vscode/tasks.json' }] },
  });
  expect(git(fixture.repository, 'rev-parse', 'main')).toBe(before);
  fixture.ok('land', 'a', '--allow-autorun-files');
  expect(git(fixture.repository, 'ls-tree', '-r', '--name-only', 'main')).toContain('.vscode/tasks.json');
});

thoroughTest(
  'the refusal applies over MCP without an exception, and over HTTP until the user accepts it',
  async () => {
    const fixture = makeSite('land:\n  autorunFiles: refuse\n');
    plant(fixture);
    await using mcp = await connectMcp(fixture.carrel, fixture.repository);
    const asked = await mcp.ask('workspace_land', { workspace: 'a', allowAutorunFiles: true });
    expect(asked.isError).toBe(true);
    expect(textOf(asked)).toContain('unknown field "allowAutorunFiles"');
    expect(await mcp.call('workspace_show', { workspace: 'a' })).toMatchObject({
      autorunFiles: [{ path: '.vscode/tasks.json' }],
    });
    const { client, stop } = await serveCarrel(fixture.carrel, fixture.repository, '--port', '0');
    expect((await client.workspaces.show(fixture.id)).autorunFiles).toMatchObject([
      { path: '.vscode/tasks.json' },
    ]);
    const refused = { problem: { code: 'LAND_AUTORUN_FILES' } };
    await expect(client.workspaces.land(fixture.id)).rejects.toMatchObject(refused);
    const landed = await client.workspaces.land(fixture.id, { allowAutorunFiles: true });
    expect(landed.autorunFiles.map(({ path }) => path)).toEqual(['.vscode/tasks.json']);
    await stop();
  },
);

test('a repository cannot turn off the refusal', () => {
  const repository = makeRepository({ ...FILES, '.carrel/config.yaml': 'land:\n  autorunFiles: warn\n' });
  const fixture = makeSite();
  expect(fixture.carrel.error(repository, 'up', 'b')).toMatchObject({ code: 'CONFIG_USER_ONLY' });
});

thoroughTest('work that deletes such a file, or does not change it, is not refused', () => {
  const fixture = makeSite('land:\n  autorunFiles: refuse\n');
  writeFiles(fixture.path, { 'source/one.txt': 'two\n' });
  fixture.git('rm', '--quiet', '.npmrc');
  fixture.ok('land', 'a', '-m', 'work');
});
