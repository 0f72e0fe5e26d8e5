import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { GcReport } from '../../../src/domain/report/result.js';
import type { Task } from '../../../src/domain/task/task.js';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { isRunning } from '../../helpers/machine/processes.js';
import { git, makeRepository } from '../../helpers/repository.js';
import { serveCarrel } from '../../helpers/server/served-carrel.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';

const AGENTS = {
  worker: 'echo made > made.txt; git add made.txt; git commit --quiet --message made; echo written',
  failing: 'echo no luck >&2; exit 3',
  patient: 'echo before; echo 1 >> "$TALLY"; until [ -e "$HOME/go" ]; do sleep 0.05; done; echo after',
  waiting: 'echo $$ >> "$TALLY"; exec sleep 600',
};

async function makeServed() {
  const site = makeScriptedTasks({
    agents: AGENTS,
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
  });
  const server = await serveCarrel(site.carrel, site.repository, '--port', '0');
  return { ...site, server, at: ['--server', server.url] };
}

thoroughTest(
  'a task of a server is followed like one that runs here, with the same answers and exit statuses',
  async () => {
    const { carrel, repository, server, at } = await makeServed();
    const good = carrel.run(repository, 'run', 'Add a file', '--keep', '--verbose', ...at);
    expect(good, good.stderr).toMatchObject({ status: 0 });
    expect(good.stderr).toContain('written');
    expect(good.stdout).toMatch(/✓ task_\w+ succeeded/);
    const bad = carrel.run(repository, 'run', 'Fail', '--agent', 'failing', '--json', ...at);
    const failed = JSON.parse(bad.stdout) as Task;
    expect(bad.status).toBe(1);
    expect(failed).toMatchObject({ status: 'failed', failure: { kind: 'agent-failed' } });
    expect(carrel.json<Task>(repository, 'task', 'show', failed.id, ...at)).toEqual(failed);
    expect(carrel.ok(repository, 'task', 'logs', failed.id, ...at)).toContain('no luck');
    expect(carrel.json<Task[]>(repository, 'task', 'ls', ...at)).toHaveLength(2);
    const again = carrel.run(repository, 'task', 'retry', failed.id, '--verbose', ...at);
    expect(again.status).toBe(1);
    // Only what is new.
    expect(again.stderr.match(/no luck/g)).toHaveLength(1);
    const refused = carrel.error(repository, 'run', 'Push it', '--push', '--trust', ...at);
    expect(refused).toMatchObject({ status: 2, code: 'NOT_ON_A_SERVER' });
    await server.stop();
  },
);

/** In front of a server; the first answer to each POST gets lost, once the server has given it. */
async function losePostAnswers(url: string): Promise<{ readonly url: string; readonly lost: string[] }> {
  const lost: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const forwarded = { method, headers: { ...headers, host: new URL(url).host } };
    const passed = request(`${url}${path}`, forwarded, answer => {
      if (method !== 'POST' || lost.includes(path)) {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        return void answer.pipe(outgoing);
      }
      lost.push(path);
      answer.resume().once('end', () => outgoing.destroy());
    });
    outgoing.once('close', () => passed.destroy());
    passed.once('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    proxy.closeAllConnections();
    await new Promise(resolve => proxy.close(resolve));
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, lost };
}

thoroughTest(
  'an answer that gets lost neither makes a task twice nor keeps it from being cancelled',
  async () => {
    const { carrel, repository, server, tally } = await makeServed();
    const { url, lost } = await losePostAnswers(server.url);
    const run = carrel.start(repository, 'run', 'Wait', '--agent', 'waiting', '--json', '--server', url);
    const pid = Number(await waitFor('the agent', () => tally()[0]));
    run.child.kill('SIGINT');
    const { status, stdout, stderr } = await run;
    expect(status, stderr).toBe(130);
    const task = JSON.parse(stdout) as Task;
    expect(task.status).toBe('cancelled');
    expect(isRunning(pid)).toBe(false);
    expect(lost).toEqual(['/api/tasks', `/api/tasks/${task.id}/cancel`]);
    expect(await server.client.tasks.list()).toHaveLength(1);
    await server.stop();
  },
);

thoroughTest('interrupting a follower cancels the task on the server, as it does locally', async () => {
  const { carrel, repository, server, tally, at } = await makeServed();
  const run = carrel.start(repository, 'run', 'Wait', '--agent', 'waiting', '--json', ...at);
  const pid = Number(await waitFor('the agent', () => tally()[0]));
  run.child.kill('SIGINT');
  const { status, stdout } = await run;
  expect(status).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled' });
  expect(isRunning(pid)).toBe(false);
  const detached = carrel.ok(repository, 'run', 'Wait', '--agent', 'waiting', '--detach', ...at);
  expect(detached).toMatch(/^task_\w+$/);
  expect(carrel.json(repository, 'task', 'cancel', detached, ...at)).toMatchObject({ status: 'cancelled' });
  await server.stop();
});

thoroughTest('a follower continues when the server was killed and is started again', async () => {
  const { carrel, repository, server, tally, at } = await makeServed();
  const run = carrel.start(repository, 'run', 'Wait', '--agent', 'patient', '--verbose', ...at);
  await waitFor('the agent', () => tally()[0]);
  await server.kill();
  const next = await serveCarrel(carrel, repository, '--port', String(server.port));
  writeFileSync(join(carrel.home, 'go'), '');
  const { status, stdout, stderr } = await run;
  expect(status, stderr).toBe(0);
  expect(stderr.match(/before|after/g)).toEqual(['before', 'after']);
  expect(stdout).toMatch(/✓ task_\w+ succeeded/);
  await next.stop();
});

test('worktrees of a server are listed, removed unless work would be lost, and cleaned up by age', async () => {
  const { carrel, repository, server, at } = await makeServed();
  const elsewhere = tempDir();
  const path = carrel.ok(repository, 'up', 'desk');
  writeFileSync(join(path, 'precious.txt'), 'mine');
  carrel.ok(repository, 'run', 'Add a file', '--keep');
  const listed = carrel.json<WorkspaceDetails[]>(elsewhere, 'worktrees', 'list', ...at);
  expect(listed.map(({ name }) => name)).toEqual(['desk', expect.any(String)]);
  const here = carrel.error(repository, 'worktrees', 'remove', 'desk');
  const there = carrel.error(elsewhere, 'worktrees', 'remove', 'desk', ...at);
  expect(there).toEqual(here);
  expect(there).toMatchObject({ status: 3, code: 'REMOVAL_REFUSED' });
  // A name in one repository never means a worktree of another, nor does what is advised.
  const other = makeRepository();
  expect(
    carrel.error(elsewhere, 'worktrees', 'remove', 'desk', '-R', other, '--discard-changes', ...at).code,
  ).not.toBe('REMOVAL_REFUSED');
  expect(existsSync(path)).toBe(true);
  const advice = carrel.run(elsewhere, 'worktrees', 'cleanup', '--older-than', '0s', '-R', repository, ...at);
  expect(advice.stderr).toContain(`-R ${repository} --server ${server.url} --yes`);
  const clean = (...args: string[]) =>
    carrel.json<GcReport>(elsewhere, 'worktrees', 'cleanup', '--older-than', '0s', ...args, ...at);
  const plan = clean();
  expect(plan.items.map(({ action, outcome }) => [action, outcome])).toEqual([
    ['keep', 'kept'],
    ['remove', 'planned'],
  ]);
  expect(plan.items[0]?.reason).toContain('precious.txt');
  expect(
    carrel
      .json<GcReport>(elsewhere, 'worktrees', 'cleanup', ...at)
      .items.every(item => item.action === 'keep'),
  ).toBe(true);
  expect(clean('--yes').items.map(({ outcome }) => outcome)).toEqual(['kept', 'removed']);
  expect(git(repository, 'branch', '--list', 'carrel/*').split('\n')).toHaveLength(2);
  carrel.ok(elsewhere, 'worktrees', 'remove', 'desk', '--discard-changes', ...at);
  expect(existsSync(path)).toBe(false);
  await server.stop();
});

thoroughTest('every failure to reach a server is one clear error', async () => {
  const { carrel, repository, server } = await makeServed();
  const list = (env: Record<string, string>, ...args: string[]) => {
    const { status, stdout } = carrel.runWith(env, repository, 'worktrees', 'list', '--json', ...args);
    const { code, message, hint } = JSON.parse(stdout).error as Record<string, string>;
    return { status, code, message, hint };
  };
  const other = createServer((_, response) => response.end('<html>'));
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
  const otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const noJson = await carrel.startWith(
    { CARREL_TOKEN: 'x' },
    repository,
    'task',
    'ls',
    '--server',
    otherUrl,
  );
  expect(noJson).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('its response is not from Carrel'),
  });
  await new Promise(resolve => other.close(resolve));
  const errors = {
    none: list({ CARREL_SERVER: otherUrl }),
    otherwise: list({ CARREL_TOKEN: 'x' }, '--server', server.url.replace('http:', 'https:')),
    wrong: list({ CARREL_TOKEN: 'x' }, '--server', server.url),
    missing: list({}, '--server', server.url, '--token-file', '/nowhere/token'),
    far: list({}, '--server', 'https://carrel.invalid'),
    address: list({}, '--server', 'ftp://user:secret@host'),
  };
  const text = JSON.stringify(errors, null, 2)
    .replaceAll(server.url.slice(5), '//SERVER')
    .replace(otherUrl, 'http://CLOSED');
  expect(text).toMatchInlineSnapshot(`
    "{
      "none": {
        "status": 4,
        "code": "SERVER_UNREACHABLE",
        "message": "no server answers at http://CLOSED (ECONNREFUSED)",
        "hint": "start one with \`carrel serve\`, or check the address"
      },
      "otherwise": {
        "status": 2,
        "code": "NOT_A_CARREL_SERVER",
        "message": "the server at https://SERVER is not Carrel: it uses another protocol (ERR_SSL_WRONG_VERSION_NUMBER)",
        "hint": "use the address that \`carrel serve\` printed, including http:// or https://"
      },
      "wrong": {
        "status": 2,
        "code": "SERVER_TOKEN_REFUSED",
        "message": "http://SERVER rejected the token from CARREL_TOKEN",
        "hint": "use the token of that server: --token-file FILE, or CARREL_TOKEN"
      },
      "missing": {
        "status": 2,
        "code": "SERVER_TOKEN_MISSING",
        "message": "there is no token for http://SERVER: /nowhere/token does not exist",
        "hint": "start a server here with \`carrel serve\`; for another server, pass its token with --token-file FILE or CARREL_TOKEN"
      },
      "far": {
        "status": 2,
        "code": "SERVER_TOKEN_MISSING",
        "message": "there is no token for https://carrel.invalid: the server is on another machine and no token was given",
        "hint": "start a server here with \`carrel serve\`; for another server, pass its token with --token-file FILE or CARREL_TOKEN"
      },
      "address": {
        "status": 2,
        "code": "INVALID_INPUT",
        "message": "the server address is \\"ftp://***@host\\"; expected a URL such as http://127.0.0.1:7717",
        "hint": "see \`carrel --help\` or \`carrel COMMAND --help\`"
      }
    }"
  `);
  await server.stop();
});

thoroughTest(
  'carrel dashboard creates a link that logs in one browser once, and prints it only on a terminal',
  async () => {
    const { carrel, server } = await makeServed();
    const file = carrel.ok(tempDir(), 'dashboard', '--server', server.url).trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { host, pathname, search } = new URL(readFileSync(file, 'utf8').trim());
    expect(host).toBe(`carrel.localhost:${new URL(server.url).port}`);
    const link = server.url + pathname + search;
    const login = await fetch(link, { redirect: 'manual' });
    expect(login.headers.getSetCookie().join()).toContain('HttpOnly');
    expect((await fetch(link, { redirect: 'manual' })).status).toBe(401);
    await server.stop();
  },
);
