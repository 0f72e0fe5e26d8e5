import { describe, expect, it } from 'vitest';
import { useContainers } from '../../../test/helpers/container.js';
import { tempDir } from '../../../test/helpers/temp.js';

describe.each(['podman', 'docker'] as const)('a container of %s', name => {
  const containers = useContainers(name);

  it('runs a command with what it is given, and nothing else', async () => {
    const directory = tempDir();
    const runtime = containers.createRuntime();
    const sandbox = await runtime.open('ws_a', containers.policy(directory));
    const result = await sandbox.exec({
      command: ['sh', '-c', 'cat; echo "$SECRET" >&2; pwd; env; exit 3'],
      stdin: 'hello\n',
      environment: { SECRET: 'two\nlines' },
    });
    console.log(result, result.stdout.toString(), result.stderr.toString());
    expect(result.exitCode).toBe(3);
  });
  it('is found by the probe', async () => {
    console.log(await containers.createRuntime().probe());
  });
});
