import { describe } from 'vitest';
import { endingContract } from './contract/ending.js';
import { haltingContract } from './contract/halting.js';
import { isolatingContract } from './contract/isolating.js';
import { openingContract } from './contract/opening.js';
import { runningContract } from './contract/running.js';
import type { RuntimeSetup } from './contract/subject.js';

/** The parts of the contract, each of which a runtime may be declared not to keep. */
export type RuntimeContractPart = 'running' | 'ending' | 'halting' | 'isolating';

/**
 * What every runtime promises, as a test suite: call it in a test file of the runtime with a way to make one and a
 * directory. A part that it does not keep is named with the reason; what it declares not to have is not asked for.
 */
export function runtimeContract(
  name: string,
  setup: RuntimeSetup,
  gaps: Readonly<Partial<Record<RuntimeContractPart, string>>> = {},
): void {
  const parts: Record<RuntimeContractPart, (setup: RuntimeSetup) => void> = {
    running: runningContract,
    ending: endingContract,
    halting: haltingContract,
    isolating: isolatingContract,
  };
  describe(`the runtime contract, by ${name}`, () => {
    describe('opening', () => openingContract(setup));
    for (const [part, contract] of Object.entries(parts)) {
      const reason = gaps[part as RuntimeContractPart];
      if (reason === undefined) describe(part, () => contract(setup));
      else describe.skip(`${part}: ${reason}`, () => contract(setup));
    }
  });
}
