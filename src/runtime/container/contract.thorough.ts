import { describe } from 'vitest';
import { useContainers } from '../../../test/helpers/sandbox/container.js';
import type { EngineName } from '../../../test/helpers/sandbox/container-engine.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { runtimeContract } from '../contract.js';

describe.each<EngineName>(['podman', 'docker'])('%s', name => {
  const containers = useContainers(name);
  runtimeContract(name, async () => {
    const directory = tempDir();
    const shared = { directory: tempDir(), owner: 'contract' };
    return {
      runtime: containers.createRuntime(shared),
      other: containers.createRuntime(shared),
      directory,
      user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
      root: { kind: 'image', image: containers.image },
      ownVariables: ['CARREL_COMMAND_ID'],
    };
  });
});
