import { expect, onTestFinished, test } from 'vitest';
import type { TaskDescriptor } from '../domain/batch/task-descriptor.js';
import type { IsolationProvider, TaskEnvironment } from './isolation-provider.js';

interface CreatedProvider {
  readonly provider: IsolationProvider;
  readonly task: TaskDescriptor;
}

interface ProviderMaker {
  /** Before `init`. */
  createOne(parallelism?: number): Promise<CreatedProvider>;
  /** After `init` with the task. */
  openProvider(parallelism?: number): Promise<CreatedProvider>;
}

/** The part of the contract about the order of calls, waiting and setup. */
export function describeQueueing({ createOne, openProvider }: ProviderMaker): void {
  test('acquire waits for a release, and callers are served in the order in which they asked', async () => {
    const { provider, task } = await openProvider(1);
    const first = await provider.acquire(task);
    const served: string[] = [];
    const ask = async (name: string) => {
      const environment = await provider.acquire(task);
      served.push(name);
      return environment;
    };
    const [second, third] = [ask('second'), ask('third')];
    expect(provider.getStats()).toMatchObject({ inUse: 1, waiting: 2, parallelism: 1, acquired: 1 });
    await provider.release(first);
    const next = await second;
    expect(served).toEqual(['second']);
    expect(provider.getStats()).toMatchObject({ inUse: 1, waiting: 1, acquired: 2 });
    await provider.release(next);
    await provider.release(await third);
    expect(served).toEqual(['second', 'third']);
    expect(provider.getStats()).toMatchObject({ inUse: 0, waiting: 0, acquired: 3 });
  }, 60_000);

  test('a caller stops waiting at its signal or its time limit, and loses nothing for the others', async () => {
    const { provider, task } = await openProvider(1);
    const first = await provider.acquire(task);
    const leaving = new AbortController();
    const left = provider.acquire(task, { signal: leaving.signal });
    const late = provider.acquire(task, { timeoutMs: 20 });
    const stays = provider.acquire(task, { timeoutMs: 60_000 });
    leaving.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    await expect(late).rejects.toMatchObject({ code: 'ACQUIRE_TIMED_OUT', details: { cap: 1 } });
    await expect(provider.acquire(task, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
    expect(provider.getStats()).toMatchObject({ inUse: 1, waiting: 1 });
    await provider.release(first);
    await provider.release(await stays);
    expect(provider.getStats()).toMatchObject({ inUse: 0, waiting: 0, acquired: 2 });
  }, 60_000);

  test('destroyAll rejects callers that wait, and what comes later', async () => {
    const { provider, task } = await openProvider(1);
    const environment = await provider.acquire(task);
    const waiting = expect(provider.acquire(task)).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
    await provider.destroyAll();
    await waiting;
    await provider.destroyAll();
    const closed = { code: 'PROVIDER_CLOSED' };
    await expect(provider.acquire(task)).rejects.toMatchObject(closed);
    await expect(provider.init([task])).rejects.toMatchObject(closed);
    expect(await provider.release(environment)).toEqual({ path: null });
    const unknown = { code: 'UNKNOWN_ENVIRONMENT' };
    await expect(provider.release(environment)).rejects.toMatchObject(unknown);
    expect(provider.getStats()).toMatchObject({ total: 0, inUse: 0, waiting: 0 });
  }, 60_000);

  test('a call out of order is refused, and changes nothing', async () => {
    const { provider, task } = await createOne();
    expect(provider.getStats()).toMatchObject({ total: 0, inUse: 0, free: 0, waiting: 0, acquired: 0 });
    await expect(provider.acquire(task)).rejects.toMatchObject({ code: 'PROVIDER_NOT_READY' });
    await provider.init([task]);
    const environment = await provider.acquire(task);
    await provider.release(environment);
    for (const stranger of [environment, {} as TaskEnvironment, undefined as unknown as TaskEnvironment])
      for (const call of [provider.release(stranger), provider.reset(stranger)])
        await expect(call).rejects.toMatchObject({ code: 'UNKNOWN_ENVIRONMENT' });
    expect(provider.getStats()).toMatchObject({ inUse: 0, acquired: 1 });
    await provider.destroyAll();
  }, 60_000);

  test('a wrong argument is refused by its name', async () => {
    const { provider, task } = await openProvider();
    const refuse = (call: Promise<unknown>, message: RegExp) => expect(call).rejects.toThrow(message);
    const wrong = (fields: object) => ({ ...task, ...fields }) as TaskDescriptor;
    await refuse(provider.init('tasks' as never), /init\(\) is "tasks"; expected a list of task descriptors/);
    await refuse(provider.init([{ id: 'x' }]), /init\.tasks\.0\.repository: missing/);
    await refuse(provider.acquire(undefined as never), /acquire\.task: .*expected object/);
    await refuse(provider.acquire(wrong({ seutp: [] })), /unknown field "seutp"; did you mean "setup"\?/);
    await refuse(provider.acquire(wrong({ setup: 'npm ci' })), /acquire\.task\.setup: .*expected array/);
    await refuse(provider.acquire(wrong({ commit: 'main' })), /acquire\.task\.commit: expected only with/);
    await refuse(provider.acquire(task, { timeout: 5 } as never), /did you mean "timeoutMs"\?/);
    await refuse(provider.acquire(task, { timeoutMs: -1 }), /timeoutMs of acquire\(\) is -1; expected/);
    expect(provider.getStats()).toMatchObject({ inUse: 0, waiting: 0 });
  }, 60_000);

  test('acquire writes the setup files and runs the setup commands of the task', async () => {
    const { provider, task } = await openProvider(1);
    const prepared = {
      ...task,
      setupFiles: { 'conf/made.txt': 'made\n' },
      setup: ['cat conf/made.txt a.txt > "$GIVEN.txt"', 'test -s given.txt && echo twice >> given.txt'],
    };
    const environment = await provider.acquire(prepared);
    const look = async (on = environment) => (await on.readFile('given.txt', 100))?.toString();
    expect(await look()).toBe('made\na\ntwice\n');
    await provider.reset(environment);
    expect(await look()).toBeUndefined();
    await provider.reset(environment, { setup: true });
    expect(await look()).toBe('made\na\ntwice\n');
    await provider.release(environment);
    const plain = await provider.acquire(prepared, { setup: false });
    expect(await look(plain)).toBeUndefined();
  }, 60_000);

  test('a setup that fails or is stopped gives its environment back', async () => {
    const { provider, task } = await openProvider(1);
    const broken = { ...task, setup: ['echo why; exit 3'] };
    await expect(provider.acquire(broken)).rejects.toMatchObject({
      code: 'TASK_SETUP_FAILED',
      details: { task: task.id, exitCode: 3, problem: expect.stringContaining('why') },
    });
    const endless = { ...task, setup: ['sleep 600'] };
    const signal = AbortSignal.timeout(500);
    await expect(provider.acquire(endless, { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(provider.getStats()).toMatchObject({ inUse: 0, waiting: 0 });
    await provider.acquire(task);
    onTestFinished(() => provider.destroyAll());
  }, 60_000);

  test('destroyAll stops a setup that runs', async () => {
    const { provider, task } = await openProvider(1);
    const acquiring = provider.acquire({ ...task, setup: ['sleep 600'] });
    const stopped = expect(acquiring).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
    await provider.destroyAll();
    await stopped;
    expect(provider.getStats()).toMatchObject({ total: 0, inUse: 0 });
  }, 60_000);
}
