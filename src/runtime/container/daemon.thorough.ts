import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useContainers } from '../../../test/helpers/sandbox/container.js';
import {
  type DockerDaemon,
  hasDockerDaemon,
  startDockerDaemon,
} from '../../../test/helpers/sandbox/container-engine.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import { isRoot } from '../../../test/parts/required-part.js';
import { createWorkspaceId } from '../contract/subject.js';
import { createNap, findNapping } from '../contract/traces.js';

let daemon: DockerDaemon | undefined;
const containers = useContainers('docker', async () => {
  daemon = isRoot && hasDockerDaemon() ? await startDockerDaemon().catch(() => undefined) : undefined;
  return daemon;
});

it('a docker daemon killed during a command is reported, and nothing is left after the next start', async () => {
  const engine = daemon as DockerDaemon;
  const runtime = containers.createRuntime();
  const id = createWorkspaceId();
  const directory = tempDir();
  const sandbox = await runtime.open(id, containers.policy(directory));
  const nap = createNap();
  const running = sandbox.run({ command: ['sh', '-c', `touch up; sleep ${nap}`] });
  await waitFor('the command', () => existsSync(join(directory, 'up')) || undefined);
  process.kill(engine.pid, 'SIGKILL');
  expect(await running).toMatchObject({ sandboxDied: true, timedOut: false, cancelled: false });
  expect(findNapping(nap)).toEqual([]);

  await runtime.stop(id);
  expect(findNapping(nap)).toEqual([]);
  // The engine still knows of it, so it is not forgotten.
  expect(await runtime.list()).toEqual([id]);

  await engine.restart();
  await runtime.stop(id);
  expect(await runtime.list()).toEqual([]);
  expect(containers.engine.cli('ps', '--all', '--quiet').stdout).toBe('');
});
