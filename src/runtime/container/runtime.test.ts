import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isThorough, thoroughTest } from '../../../test/helpers/flavours.js';
import { useContainers } from '../../../test/helpers/sandbox/container.js';
import type { EngineName } from '../../../test/helpers/sandbox/container-engine.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import { createWorkspaceId } from '../contract/subject.js';
import type { Policy } from '../policy.js';
import type { Runtime, SandboxCommand } from '../runtime.js';

/** Much of it runs only in the thorough suite, for both engines. */
const ENGINES: readonly EngineName[] = isThorough ? ['docker', 'podman'] : ['docker'];

describe.each(ENGINES)('a container of %s', name => {
  const containers = useContainers(name);

  async function open(
    changes: Partial<Policy> = {},
    runtime: Runtime = containers.createRuntime(),
    id = createWorkspaceId(),
  ) {
    const directory = tempDir();
    const policy = containers.policy(directory, changes);
    const sandbox = await runtime.open(id, policy);
    const script = (text: string, command: Partial<SandboxCommand> = {}) =>
      sandbox.run({ command: ['sh', '-c', text], ...command });
    return { runtime, id, directory, policy, sandbox, script };
  }
  const listContainers = (id: string): string[] =>
    containers.engine
      .cli('ps', '--all', '--quiet', '--filter', `label=carrel.workspace=${id}`)
      .stdout.split('\n')
      .filter(Boolean);

  thoroughTest('distinguishes 125, 126, 127 and 1 of a command from a failure of the engine', async () => {
    const { script, sandbox } = await open();
    for (const status of [125, 126, 127, 1, 255])
      expect(await script(`exit ${status}`)).toMatchObject({ exitCode: status });
    const elsewhere = sandbox.run({ command: ['true'], workingDirectory: '/no/such/directory' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'SANDBOX_REFUSED' });
  });

  it('shows no variable values to other users of the machine or in inspect', async () => {
    const { id, directory, script } = await open();
    const secret = `secret-${process.pid}`;
    const running = script('echo "$KEY" > key; while [ ! -e go ]; do sleep 0.02; done', {
      environment: { KEY: secret },
    });
    const key = await waitFor('the variable', () => readText(join(directory, 'key')));
    const words = readdirSync('/proc')
      .filter(pid => /^\d+$/.test(pid))
      .map(pid => readText(`/proc/${pid}/cmdline`) ?? '');
    writeFileSync(join(directory, 'go'), '');
    await running;
    expect(key).toBe(`${secret}\n`);
    expect(words.filter(line => line.includes(secret))).toEqual([]);
    const container = listContainers(id)[0] as string;
    expect(containers.engine.cli('inspect', container).stdout).not.toContain(secret);
  });

  thoroughTest('does not wait for what a command leaves running with its output open', async () => {
    const { script } = await open();
    const result = await script('sleep 600 & echo ready');
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.stdout.toString()).toBe('ready\n');
    expect((await script('ps -e -o args=')).stdout.toString()).toContain('sleep 600');
  });

  thoroughTest('adds nothing to the stderr of a killed command', async () => {
    const { script } = await open();
    const result = await script('echo mine >&2; kill -TERM $$');
    expect(result.exitCode).toBe(128 + 15);
    expect(result.stderr.toString()).toBe('mine\n');
  });

  thoroughTest('reaps orphans', async () => {
    const { script } = await open();
    await script('(sleep 0.01 &) ; (sleep 0.01 &)');
    await script('sleep 0.1');
    expect((await script('ps -e -o stat= | grep -c Z')).stdout.toString()).toBe('0\n');
  });

  it('names the memory limit that killed a command, and keeps running', async () => {
    const { script } = await open({ limits: { memory: 64 * 1024 ** 2 } });
    const hungry = await script('head -c 300000000 /dev/zero | tail -c 299999999 | wc -c; exit 9');
    expect(hungry).toMatchObject({ exitCode: 9, limit: 'memory' });
    const modest = await script('exit 9');
    expect(modest.limit).toBeUndefined();
    expect(modest.sandboxDied).toBeUndefined();
  });

  thoroughTest('names the process limit and the file size limit', async () => {
    const crowded = await open({ limits: { pids: 16 } });
    const crowd = await crowded.script('for n in $(seq 40); do sleep 600 & done; wait; exit 1');
    expect(crowd).toMatchObject({ limit: 'pids' });
    expect(crowd.exitCode).not.toBe(0);
    const { directory, script } = await open({ limits: { fileSize: 1024 ** 2 } });
    const large = await script('exec head -c 5000000 /dev/zero > large');
    expect(large).toMatchObject({ exitCode: 128 + 25, limit: 'fileSize' });
    expect(readFileSync(join(directory, 'large')).length).toBe(1024 ** 2);
  });

  thoroughTest('names the disk limit, and kills what exceeds it', async () => {
    const { script } = await open({ limits: { disk: 4 * 1024 ** 2 } });
    const endless =
      'i=0; while [ $i -lt 200 ]; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); sleep 0.05; done';
    const result = await script(endless, { graceMs: 100 });
    expect(result).toMatchObject({ limit: 'disk', timedOut: false });
  });

  thoroughTest('reports that it died during a command, and is recreated for the next', async () => {
    const { id, directory, script } = await open();
    const running = script('touch up; sleep 600');
    await waitFor('the command', () => existsSync(join(directory, 'up')) || undefined);
    const container = listContainers(id)[0] as string;
    const pid = Number(containers.engine.cli('inspect', '--format', '{{.State.Pid}}', container).stdout);
    process.kill(pid, 'SIGKILL');
    expect(await running).toMatchObject({ sandboxDied: true, timedOut: false, cancelled: false });
    expect((await script('echo again')).stdout.toString()).toBe('again\n');
    expect(listContainers(id)).not.toContain(container);
  });

  thoroughTest('is a single container for concurrent opens', async () => {
    const shared = { directory: tempDir(), owner: `owner-${process.pid}-${name}` };
    const runtimes = [1, 2, 3].map(() => containers.createRuntime(shared));
    const directory = tempDir();
    const policy = containers.policy(directory);
    const id = createWorkspaceId();
    const sandboxes = await Promise.all(runtimes.map(runtime => runtime.open(id, policy)));
    const results = await Promise.all(sandboxes.map(sandbox => sandbox.run({ command: ['true'] })));
    expect(results.map(result => result.exitCode)).toEqual([0, 0, 0]);
    expect(listContainers(id)).toHaveLength(1);
  });

  thoroughTest('is recreated when the policy changes, and not when only the environment does', async () => {
    const { runtime, id, policy, script } = await open();
    await script('touch /tmp/kept');
    const later = await runtime.open(id, { ...policy, environment: { ...policy.environment, NEW: '1' } });
    const sameOne = await later.run({ command: ['sh', '-c', 'echo $NEW; ls /tmp/kept'] });
    expect(sameOne.stdout.toString()).toBe('1\n/tmp/kept\n');
    const other = await runtime.open(id, { ...policy, hostname: 'another' });
    const another = await other.run({ command: ['ls', '/tmp/kept'] });
    expect(another.exitCode).not.toBe(0);
    expect(listContainers(id)).toHaveLength(1);
  });

  thoroughTest(
    'is not touched by a Carrel with another state directory, even with the same workspace id',
    async () => {
      const mine = await open();
      const theirs = await open({}, containers.createRuntime(), mine.id);
      await Promise.all([mine.script('touch /tmp/mine'), theirs.script('touch /tmp/theirs')]);
      await theirs.runtime.stop(mine.id);
      expect(await mine.script('ls /tmp/mine')).toMatchObject({ exitCode: 0 });
      expect(await mine.runtime.list()).toEqual([mine.id]);
      expect(await theirs.runtime.list()).toEqual([]);
    },
  );

  thoroughTest('resumes for the next command after the process that paused it has died', async () => {
    const shared = { directory: tempDir(), owner: `owner-${process.pid}-${name}` };
    const { id, script } = await open({}, containers.createRuntime(shared));
    await script('true');
    const dead = { pid: 1, startedAt: 'long ago', realm: containers.createSelf().realm };
    const halter = await open({}, containers.createRuntime({ ...shared, self: dead }), id);
    await halter.sandbox.pause();
    expect(await script('true')).toMatchObject({ exitCode: 0 });
  });

  it('need not be started to be paused', async () => {
    const { id, sandbox } = await open();
    await sandbox.pause();
    await sandbox.resume();
    expect(listContainers(id)).toEqual([]);
  });

  thoroughTest('passes its standard error on request, and still reports the status', async () => {
    const { sandbox } = await open();
    const result = await sandbox.run({ command: ['sh', '-c', 'exit 5'], output: 'inherit' });
    expect(result).toMatchObject({ exitCode: 5 });
    expect(result.sandboxDied).toBeUndefined();
  });

  it('refuses an id that would lead out of its directory', async () => {
    const runtime = containers.createRuntime();
    for (const id of ['../x', '-x', '', 'a/b', 'a\nb'])
      await expect(runtime.open(id, containers.policy(tempDir())), id).rejects.toMatchObject({
        code: 'INTERNAL',
      });
  });

  it('reports an image that does not exist', async () => {
    const image = 'localhost/carrel-no-such-image:1';
    const { script } = await open({ root: { kind: 'image', image } });
    await expect(script('true')).rejects.toMatchObject({ code: 'IMAGE_MISSING', details: { image } });
  });
});

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8') || undefined;
  } catch {
    return undefined;
  }
}
