import { describe } from 'vitest';
import type { Flavour } from '../helpers/escape/escape-flavour.js';
import { architecture } from './attempts/architecture.js';
import { content } from './attempts/content.js';
import { files } from './attempts/files.js';
import { kernel } from './attempts/kernel.js';
import { mounts } from './attempts/mounts.js';
import { namespaces } from './attempts/namespaces.js';
import { processes } from './attempts/processes.js';
import { repository } from './attempts/repository.js';
import { secrets } from './attempts/secrets.js';
import { sockets } from './attempts/sockets.js';
import { testAttempts } from './harness/test-attempts.js';
import { testContentAttempts } from './harness/test-content-attempts.js';
import { testRepositoryAttempts } from './harness/test-repository-attempts.js';
import { testEndings } from './stories/endings.js';
import { testHostileFiles } from './stories/hostile-files.js';
import { testLauncher } from './stories/launcher.js';
import { testLimits } from './stories/limits.js';
import { testNestedGit } from './stories/nested-git.js';
import { testNetwork } from './stories/network.js';
import { testPlanted } from './stories/planted.js';
import { testPorts } from './stories/ports.js';
import { testReuse } from './stories/reuse.js';
import { testUnavailable } from './stories/unavailable.js';

/** The list "attempts that must fail", for one kind of sandbox. */
export function describeEscapes(flavour: Flavour): void {
  describe(flavour.name, () => {
    testAttempts(flavour, 'processes and the kernel', [
      ...namespaces,
      ...mounts,
      ...sockets,
      ...kernel,
      ...processes,
      ...secrets,
      ...files,
      ...architecture,
    ]);
    testContentAttempts(flavour, 'content', content);
    testRepositoryAttempts(flavour, 'the repository', repository);
    testLauncher(flavour);
    testEndings(flavour);
    testLimits(flavour);
    testUnavailable(flavour);
    testPlanted(flavour);
    testNestedGit(flavour);
    testNetwork(flavour);
    testPorts(flavour);
    testHostileFiles(flavour);
    testReuse(flavour);
  });
}
