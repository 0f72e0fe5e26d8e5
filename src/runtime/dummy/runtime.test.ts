import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { plainPolicy, type RuntimePlace } from '../contract/subject.js';
import { runtimeContract } from '../contract.js';
import { createDummyRuntime } from './runtime.js';

const NOTHING = 'it runs nothing';

runtimeContract('dummy', async () => makePlace(), {
  running: NOTHING,
  ending: NOTHING,
  halting: NOTHING,
  isolating: NOTHING,
});

test('it records what it was asked to run, and returns the given answers', async () => {
  const runtime = createDummyRuntime({ result: ({ command }) => ({ exitCode: command.command.length }) });
  const policy = plainPolicy(makePlace());
  const sandbox = await runtime.open('ws_one', policy);
  expect(await sandbox.run({ command: ['a', 'b'] })).toMatchObject({ exitCode: 2, timedOut: false });
  expect(runtime.commands).toEqual([{ id: 'ws_one', policy, command: { command: ['a', 'b'] } }]);
  expect(await runtime.list()).toEqual(['ws_one']);
});

test('it can be reported as missing', async () => {
  const runtime = createDummyRuntime({ finding: { obstacle: 'not-installed', message: 'none here' } });
  expect(await runtime.probe()).toMatchObject({
    runtime: 'dummy',
    obstacle: 'not-installed',
    message: 'none here',
  });
});

function makePlace(): RuntimePlace {
  const runtime = createDummyRuntime();
  return {
    runtime,
    other: runtime,
    directory: tempDir(),
    user: { uid: 0, gid: 0 },
    root: { kind: 'machine' },
  };
}
