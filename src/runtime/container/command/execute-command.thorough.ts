import { describe, expect, it, onTestFinished } from 'vitest';
import { useContainers } from '../../../../test/helpers/sandbox/container.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { createWorkspaceId } from '../../contract/subject.js';
import type { Policy } from '../../policy.js';
import type { SandboxCommand } from '../../runtime.js';

describe.each(['docker', 'podman'] as const)('a command in a container of %s', name => {
  const containers = useContainers(name);

  async function open(changes: Partial<Policy> = {}) {
    const id = createWorkspaceId();
    const sandbox = await containers.createRuntime().open(id, containers.policy(tempDir(), changes));
    const script = (text: string, command: Partial<SandboxCommand> = {}) =>
      sandbox.run({ command: ['sh', '-c', text], ...command });
    return { id, script };
  }

  it.each([
    ['captured', {}],
    ['handed over', { handedOver: ['stderr'] }],
    ['the terminal', { output: 'inherit' }],
  ] as const)('is refused when the container is paused, with standard error %s', async (_, streams) => {
    const { id, script } = await open();
    expect(await script('exit 255', streams)).toMatchObject({ exitCode: 255 });
    const filter = `label=carrel.workspace=${id}`;
    const container = containers.engine.cli('ps', '--quiet', '--filter', filter).stdout.trim();
    expect(containers.engine.cli('pause', container)).toMatchObject({ status: 0, stderr: '' });
    onTestFinished(() => void containers.engine.cli('unpause', container));
    await expect(script('true', streams)).rejects.toMatchObject({ code: 'SANDBOX_REFUSED' });
  });

  it('reports a limit that only a child hit, and its own exit status', async () => {
    const { script } = await open({ limits: { memory: 64 * 1024 ** 2 } });
    // The kernel chooses which process to kill, and once chose the shell: this process requests to be chosen.
    const part =
      'echo 1000 > /proc/self/oom_score_adj; head -c 300000000 /dev/zero | tail -c 299999999 | wc -c';
    const result = await script(`sh -c '${part}'; exit 0`);
    expect(result).toMatchObject({ exitCode: 0, limit: 'memory' });
  });
});
