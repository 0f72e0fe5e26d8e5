import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { makeAttemptHome } from './attempt-home.js';

const USER = {
  '.gitconfig': '[user]\n',
  '.cargo/bin/cargo': '',
  '.config/opencode/opencode.json': '{}',
  '.local/bin/tool': '',
  '.local/share/opencode/auth.json': 'login',
  '.local/share/opencode/storage/session.json': 'remembered',
  '.local/share/mise/x': '',
  '.claude/.credentials.json': 'login',
  '.claude/settings.json': '{}',
  '.claude/projects/-slot/memory.md': 'remembered',
  '.claude.json': JSON.stringify({ oauthAccount: 'me', projects: { '/slot': { history: ['remembered'] } } }),
  '.codex/auth.json': 'login',
  '.codex/sessions/x.jsonl': 'remembered',
};

test("an attempt has the user's toolchains, settings and logins, but no agent memory", async () => {
  const [user, home] = [tempDir(), join(tempDir(), 'home')];
  writeFiles(user, USER);
  expect(await makeAttemptHome({ HOME: user }, home)).toEqual({ HOME: home });
  const found = Object.keys(USER).filter(path => existsSync(join(home, path)));
  expect(found).toEqual([
    '.gitconfig',
    '.cargo/bin/cargo',
    '.config/opencode/opencode.json',
    '.local/bin/tool',
    '.local/share/opencode/auth.json',
    '.local/share/mise/x',
    '.claude/.credentials.json',
    '.claude/settings.json',
    '.claude.json',
    '.codex/auth.json',
  ]);
  expect(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))).toEqual({ oauthAccount: 'me' });
});

test('a renewed login is renewed for the user, and agent memory stays in the attempt', async () => {
  const [user, home] = [tempDir(), join(tempDir(), 'home')];
  writeFiles(user, { ...USER, '.gemini/GEMINI.md': 'mine', '.gemini/oauth_creds.json': 'login' });
  await makeAttemptHome({ HOME: user }, home);
  writeFileSync(join(home, '.gemini/oauth_creds.json'), 'renewed');
  writeFileSync(join(home, '.gemini/GEMINI.md'), 'learned');
  writeFiles(home, { '.claude/projects/-slot/memory.md': 'learned', '.other-agent/memory': 'learned' });
  expect(readFileSync(join(user, '.gemini/oauth_creds.json'), 'utf8')).toBe('renewed');
  expect(readFileSync(join(user, '.gemini/GEMINI.md'), 'utf8')).toBe('mine');
  expect(readFileSync(join(user, '.claude/projects/-slot/memory.md'), 'utf8')).toBe('remembered');
  expect(existsSync(join(user, '.other-agent'))).toBe(false);
});

test('directories named by variables are replaced in the same way', async () => {
  const [user, home, config, data] = [tempDir(), join(tempDir(), 'home'), tempDir(), tempDir()];
  writeFiles(config, { '.credentials.json': 'login', 'projects/-slot/memory.md': 'x', '.claude.json': '{}' });
  writeFiles(data, { 'opencode/auth.json': 'login', 'opencode/storage/x': 'x', 'mise/x': 'x' });
  const caller = { HOME: user, CLAUDE_CONFIG_DIR: config, XDG_DATA_HOME: data };
  expect(await makeAttemptHome(caller, home)).toEqual({
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    XDG_DATA_HOME: join(home, '.local/share'),
  });
  expect(readlinkSync(join(home, '.claude/.credentials.json'))).toBe(join(config, '.credentials.json'));
  expect(existsSync(join(home, '.claude/projects'))).toBe(false);
  expect(existsSync(join(home, '.claude/.claude.json'))).toBe(true);
  expect(readlinkSync(join(home, '.local/share/opencode/auth.json'))).toBe(join(data, 'opencode/auth.json'));
  expect(existsSync(join(home, '.local/share/opencode/storage'))).toBe(false);
  expect(readlinkSync(join(home, '.local/share/mise'))).toBe(join(data, 'mise'));
});

test('a missing home directory gives a new one', async () => {
  const home = join(tempDir(), 'home');
  expect(await makeAttemptHome({ HOME: '/nonexistent' }, home)).toEqual({ HOME: home });
  expect(await makeAttemptHome({}, join(tempDir(), 'home'))).toHaveProperty('HOME');
});

test('files that an unknown agent writes are not shared with other attempts or the user', async () => {
  const [user, config] = [tempDir(), tempDir()];
  writeFiles(user, { '.mybot/settings': 'mine', '.config/mybot/login': 'mine', '.cargo/bin/cargo': '' });
  writeFiles(config, { 'mybot/login': 'mine' });
  for (const [caller, place] of [
    [{ HOME: user }, '.config'],
    [{ HOME: user, XDG_CONFIG_HOME: config }, '.config'],
  ] as const) {
    const [one, two] = [join(tempDir(), 'home'), join(tempDir(), 'home')];
    const variables = await makeAttemptHome(caller, one);
    if ('XDG_CONFIG_HOME' in caller) expect(variables.XDG_CONFIG_HOME).toBe(join(one, place));
    const learned = {
      '.mybot/memory': 'x',
      '.config/mybot/memory': 'x',
      '.config/new/memory': 'x',
      '.new/memory': 'x',
    };
    writeFiles(one, { ...learned, '.mybot/settings': 'changed' });
    await makeAttemptHome(caller, two);
    for (const home of [two, user, config])
      expect(Object.keys(learned).filter(path => existsSync(join(home, path)))).toEqual([]);
    expect(readFileSync(join(two, '.mybot/settings'), 'utf8')).toBe('mine');
    expect(readFileSync(join(two, '.config/mybot/login'), 'utf8')).toBe('mine');
    expect(readlinkSync(join(two, '.cargo'))).toBe(join(user, '.cargo'));
  }
});

test('large directories are linked', async () => {
  const [user, home] = [tempDir(), join(tempDir(), 'home')];
  writeFiles(user, { '.tools/large': 'x'.repeat(9 * 1024 ** 2) });
  await makeAttemptHome({ HOME: user }, home);
  expect(readlinkSync(join(home, '.tools'))).toBe(join(user, '.tools'));
});
