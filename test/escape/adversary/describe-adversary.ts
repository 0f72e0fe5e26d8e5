import { describe } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { testBombs } from './bombs.js';
import { testCallersPlace } from './callers-place.js';
import { testOwnNetwork } from './own-network.js';
import { testSecrets } from './secrets.js';
import { testTerminal } from './terminal.js';
import { testTrust } from './trust.js';
import { testUsualLimits } from './usual-limits.js';
import { testWeakening } from './weakening.js';

/**
 * What lies around the sandbox: the caller's variables, files of the repository, approvals, secrets, the network, and
 * looking at work. Each is an attack as an agent would try it, with a control that succeeds where nothing protects.
 */
export function describeAdversary(flavour: Flavour): void {
  describe(`adversary, ${flavour.name}`, () => {
    testCallersPlace(flavour);
    testWeakening(flavour);
    testSecrets(flavour);
    testOwnNetwork(flavour);
    testBombs(flavour);
    testUsualLimits(flavour);
    // What the host does itself is the same for every runtime, and containers are slow to start.
    if (flavour.runtime === 'podman') return;
    testTrust(flavour);
    testTerminal(flavour);
  });
}
