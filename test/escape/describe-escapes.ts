import { describe } from 'vitest';
import type { Flavour } from '../helpers/escape-flavour.js';
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
import { testEndings } from './stories/endings.js';
import { testHostileFiles } from './stories/hostile-files.js';
import { testLauncher } from './stories/launcher.js';
import { testLimits } from './stories/limits.js';
import { testNetwork } from './stories/network.js';
import { testPlanted } from './stories/planted.js';
import { testReuse } from './stories/reuse.js';
import { testUnavailable } from './stories/unavailable.js';
import { testAttempts } from './test-attempts.js';
import { testContentAttempts } from './test-content-attempts.js';
import { testRepositoryAttempts } from './test-repository-attempts.js';

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
    testNetwork(flavour);
    testHostileFiles(flavour);
    testReuse(flavour);
  });
}
