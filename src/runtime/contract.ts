import { describe } from 'vitest';
import { haltingContract } from './contract/halting.js';
import { isolatingContract } from './contract/isolating.js';
import { openingContract } from './contract/opening.js';
import { runningContract } from './contract/running.js';
import { stoppingContract } from './contract/stopping.js';
import type { RuntimeSetup } from './contract/subject.js';

/** The parts of the contract. A runtime may declare that it does not meet one of them. */
export type RuntimeContractPart = 'running' | 'ending' | 'halting' | 'isolating';

/**
 * The test suite that every runtime must pass: call it in the runtime's test file with a way to create one and a directory. A part that
 * it does not pass is named with the reason; tests for capabilities that it does not declare are skipped.
 */
export function runtimeContract(
  name: string,
  setup: RuntimeSetup,
  gaps: Readonly<Partial<Record<RuntimeContractPart, string>>> = {},
): void {
  const parts: Record<RuntimeContractPart, (setup: RuntimeSetup) => void> = {
    running: runningContract,
    ending: stoppingContract,
    halting: haltingContract,
    isolating: isolatingContract,
  };
  describe(`the runtime contract: ${name}`, () => {
    describe('opening', () => openingContract(setup));
    for (const [part, contract] of Object.entries(parts)) {
      const reason = gaps[part as RuntimeContractPart];
      if (reason === undefined) describe(part, () => contract(setup));
      else describe.skip(`${part}: ${reason}`, () => contract(setup));
    }
  });
}
