import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { usePrograms } from '../../../test/helpers/machine/programs.js';
import { useContainers } from '../../../test/helpers/sandbox/container.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import { createWorkspaceId } from '../contract/subject.js';
import { createNap, findNapping } from '../contract/traces.js';

const start = usePrograms({
  modules: {
    run: 'src/exec/run-process.ts',
    identity: 'src/exec/process/identify-process.ts',
    runtime: 'src/runtime/container/runtime.ts',
  },
  imports: `
    import { randomBytes } from 'node:crypto';
    import { runProcess as run } from './run.js';
    import { identifyProcess } from './identity.js';
    import { createContainerRuntime } from './runtime.js';
  `,
});

/** Runs a command in a sandbox, as Carrel does. */
const PROGRAM = `
  const [options, id, policy, script] = args.map(arg => JSON.parse(arg));
  const unique = () => randomBytes(8).toString('hex');
  const self = identifyProcess(process.pid);
  const runtime = createContainerRuntime({ ...options, run, self, unique });
  const sandbox = await runtime.open(id, policy);
  await sandbox.run({ command: ['sh', '-c', script] });
`;

describe.each(['podman', 'docker'] as const)('after a kill, with %s', name => {
  const containers = useContainers(name);

  function arrange(script: (nap: string) => string) {
    const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const { environment } = containers.engine;
    const parts = { directory: tempDir(), owner: `killed-${process.pid}`, environment, user };
    const options = { ...parts, engine: name, architecture: process.arch, node: process.execPath };
    const directory = tempDir();
    const id = createWorkspaceId();
    const nap = createNap();
    const words = [options, id, containers.policy(directory), script(nap)].map(word => JSON.stringify(word));
    const runtime = containers.createRuntime({ directory: parts.directory, owner: parts.owner });
    const findContainer = () =>
      containers.engine.cli('ps', '-aq', '--filter', `label=carrel.workspace=${id}`).stdout;
    return { program: start(PROGRAM, ...words), runtime, directory, id, nap, findContainer };
  }

  it('of Carrel: the next one finds what is left and kills it', async () => {
    const { program, runtime, id, nap, findContainer } = arrange(nap => `sleep ${nap}`);
    await waitFor('the command', () => findNapping(nap)[0]);
    program.kill();
    await program.ended;
    expect(findNapping(nap)).toHaveLength(1);
    expect(await runtime.list()).toEqual([id]);
    await runtime.stop(id);
    expect(findNapping(nap)).toEqual([]);
    expect(findContainer()).toBe('');
    expect(await runtime.list()).toEqual([]);
  });

  it('of Carrel while it creates the container leaves nothing either', async () => {
    const { program, runtime, id, nap, findContainer } = arrange(nap => `sleep ${nap}`);
    await waitFor('the container', () => findContainer() || undefined);
    program.kill();
    await program.ended;
    expect(await runtime.list()).toEqual([id]);
    await runtime.stop(id);
    expect(findContainer()).toBe('');
    expect(findNapping(nap)).toEqual([]);
  });

  it.runIf(name === 'podman')('of what watches the container, nothing is left either', async () => {
    const { runtime, directory, id, nap, findContainer } = arrange(nap => `touch up; sleep ${nap}`);
    await waitFor('the command', () => existsSync(join(directory, 'up')) || undefined);
    const { stdout } = containers.engine.cli(
      'inspect',
      '--format',
      '{{.State.ConmonPid}}',
      findContainer().trim(),
    );
    process.kill(Number(stdout), 'SIGKILL');
    await runtime.stop(id);
    expect(findContainer()).toBe('');
    expect(findNapping(nap)).toEqual([]);
  });
});
