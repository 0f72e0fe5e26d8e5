import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { thoroughTest } from '../../test/helpers/flavours.js';
import { createStandInSeatbelt } from '../../test/helpers/machine/macos.js';
import { git, makeRepository, writeFiles } from '../../test/helpers/repository.js';
import { type App, openApp } from '../app.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { WorkspaceRecord } from '../domain/workspace/workspace.js';
import { identifyProcess } from '../exec/process/identify-process.js';
import { runProcess } from '../exec/run-process.js';
import { createJj } from '../jj/jj.js';
import { openEnvironment } from '../operations/command/workspace-environment.js';
import { removeRecord } from '../operations/removal/down.js';
import { up } from '../operations/workspace/up.js';
import { openSandbox } from './lifecycle/open-sandbox.js';
import { createSandboxes } from './sandboxes.js';

// A runtime that shows everything at its own path. Its sandbox-exec is a stand-in that isolates nothing, so this is about the two
// sides of git, the private home and the network, not about isolation.

async function makeSite(config: string) {
  const repository = makeRepository({ 'README.md': 'hello\n' });
  const carrel = createCarrel();
  writeFiles(carrel.home, { 'config/carrel/config.yaml': config });
  const { env: environment } = carrel;
  const app = await openApp({ environment, cwd: repository });
  onTestFinished(() => app.close());
  const sandboxes = await withStandIn(app, environment);
  const context: App = { ...app, sandboxes: async () => sandboxes };
  const sh = async (record: WorkspaceRecord, script: string) => {
    const result = await openEnvironment(context, record).run({ command: ['sh', '-c', script] });
    return { ...result, text: result.stdout.toString().trimEnd(), problems: result.stderr.toString() };
  };
  return { repository, context, sandboxes, sh };
}

async function withStandIn(app: App, environment: Readonly<Record<string, string>>) {
  const runtimes = { ...(await app.sandboxes()).runtimes, seatbelt: createStandInSeatbelt() };
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const membersOf = async (record: WorkspaceRecord) => [record] as const;
  return createSandboxes({
    git: app.git,
    jj: createJj({ run: runProcess, env: environment }),
    runtimes,
    stateDir: app.places.stateDir,
    now: Date.now,
    self: identifyProcess(process.pid) as ProcessIdentity,
    environment,
    allowedNow: async id => (await app.store.workspaces.find(id))?.sandbox?.allow,
    workTreeOf: record => app.backends.of(record.backend).workTree(record),
    membersOf,
    open: (record, place) =>
      openSandbox({ git: app.git, runtimes, environment, user, membersOf }, record, place),
  });
}

test('commits made inside are imported to the branch, and the pointer outside stays', async () => {
  const { repository, context, sandboxes, sh } = await makeSite(
    'sandbox: {runtime: seatbelt, network: none}\n',
  );
  const { id, warnings } = await up(context, { repository, name: 'a', isolation: 'full', strict: true });
  expect(warnings).toContainEqual(expect.stringContaining('experimental'));
  const record = (await context.store.workspaces.find(id)) as WorkspaceRecord;
  expect(record.runtime).toBe('seatbelt');
  const place = sandboxes.placeOf(id);
  const pointer = readFileSync(join(record.path, '.git'), 'utf8');
  const seen = await sh(record, 'echo $HOME; echo $TMPDIR; git rev-parse --git-dir; git status --porcelain');
  expect(seen.text.split('\n')).toEqual([place.home, join(place.home, '.tmp'), place.gitDir]);
  expect(existsSync(join(place.home, '.tmp'))).toBe(true);
  expect(readFileSync(join(place.gitDir, 'objects/info/alternates'), 'utf8')).toBe(
    `${realpathSync(join(repository, '.git/objects'))}\n`,
  );
  await sh(record, 'echo two > two.txt; git add two.txt; git commit -qm two');
  expect(git(repository, 'show', 'carrel/a:two.txt')).toBe('two');
  git(record.path, 'commit', '--quiet', '--allow-empty', '-m', 'outside');
  expect((await sh(record, 'git log --format=%s -1')).text).toBe('outside');
  expect(readFileSync(join(record.path, '.git'), 'utf8')).toBe(pointer);
  await removeRecord(context, record, {
    accepted: { discardChanges: true, discardCommits: true },
    reason: 'down',
  });
  expect(existsSync(record.path)).toBe(false);
});

thoroughTest(
  'the allowlist is one port of this machine, in the variables of the command and in its rules',
  async () => {
    const config = 'sandbox: {runtime: seatbelt, network: allowlist, allow: [allowed.example.com]}\n';
    const { repository, context, sh } = await makeSite(config);
    const { id } = await up(context, { repository, name: 'a', isolation: 'full', strict: true });
    const record = (await context.store.workspaces.find(id)) as WorkspaceRecord;
    const script = `${JSON.stringify(process.execPath)} -e '
    const { port } = new URL(process.env.HTTPS_PROXY);
    require("http").request({ host: "127.0.0.1", port, method: "CONNECT", path: "denied.example.com:443" })
      .on("connect", answer => { console.log(answer.statusCode); process.exit(); }).end();'`;
    const result = await sh(record, script);
    expect([result.text, result.problems]).toEqual(['403', '']);
    await removeRecord(context, record, {
      accepted: { discardChanges: true, discardCommits: true },
      reason: 'down',
    });
  },
);

test.each([
  ['sandbox: {runtime: seatbelt, nested: allow}\n', 'SANDBOX_REFUSED'],
  ['sandbox: {runtime: seatbelt, privileged: true}\n', 'SANDBOX_REFUSED'],
  [
    'sandbox: {runtime: seatbelt}\nworkspace: {container: {resourceLimits: {memory: 1g}}}\n',
    'LIMIT_NOT_ENFORCEABLE',
  ],
  ['sandbox: {runtime: seatbelt}\nworkspace: {container: {volumes: {/tmp/a: /b}}}\n', 'SANDBOX_REFUSED'],
])('with %j nothing is created', async (config, code) => {
  const { repository, context } = await makeSite(config);
  await expect(up(context, { repository, name: 'a', isolation: 'full', strict: true })).rejects.toMatchObject(
    { code },
  );
  expect(await context.store.workspaces.list()).toEqual([]);
});

test('off macOS it is not available, and nothing else is used instead', async () => {
  const { repository, context } = await makeSite('sandbox: {runtime: seatbelt}\n');
  const real = await openApp({ environment: context.environment, cwd: repository });
  onTestFinished(() => real.close());
  const asked = up(real, { repository, name: 'a', isolation: 'full', strict: true });
  if (process.platform !== 'darwin')
    await expect(asked).rejects.toMatchObject({
      code: 'ISOLATION_UNAVAILABLE',
      message: expect.stringContaining('it is part of macOS'),
    });
});
