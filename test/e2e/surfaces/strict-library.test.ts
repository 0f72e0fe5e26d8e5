import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../src/carrel.js';
import { createCarrel as createTestCarrel } from '../../helpers/carrel.js';
import { makeRepository } from '../../helpers/repository.js';

async function openLibrary() {
  const repository = makeRepository();
  const carrel = await createCarrel({ repository, environment: createTestCarrel().env });
  onTestFinished(() => carrel.close());
  return carrel;
}

test('a mistyped field or mode of the library is refused as over HTTP, and nothing is made', async () => {
  const carrel = await openLibrary();
  const expectRefused = (call: Promise<unknown>, message: string) =>
    expect(call).rejects.toMatchObject({ code: 'REQUEST_INVALID', kind: 'user', message });
  await expectRefused(
    carrel.createTask({ description: 'x', isolatoin: 'full' } as never),
    'createTask: unknown field "isolatoin"; did you mean "isolation"?',
  );
  await expectRefused(
    carrel.createTask({ description: 'x', land: { branch: 'main' } } as never),
    'createTask.land: unknown field "branch"; expected one of into',
  );
  await expectRefused(
    carrel.workspaces.create({ Isolation: 'full' } as never),
    'workspaces.create: unknown field "Isolation"; did you mean "isolation"?',
  );
  await expectRefused(
    carrel.workspaces.create({ isolation: 'ful' } as never),
    'workspaces.create.isolation: unknown mode "ful"; did you mean "full"?',
  );
  await expectRefused(
    carrel.workspaces.land('a', { in: 'main' } as never),
    'workspaces.land: unknown field "in"; expected one of into, strategy, message, keep, allowAutorunFiles',
  );
  await expectRefused(
    carrel.batches.run({ dataset: 'golden', agent: 'x', filter: { tag: [] } } as never),
    'batches.run.filter: unknown field "tag"; did you mean "tags"?',
  );
  expect(await carrel.tasks.list()).toEqual([]);
  expect(await carrel.workspaces.list()).toEqual([]);
});

test('options of the library itself are checked before anything is opened', async () => {
  await expect(createCarrel({ repositry: '/x' } as never)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
});
