import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { EvalAgent } from '../eval-agent.js';

/** Does nothing: a task that it passes is trivially solved. */
export const nop: EvalAgent = {
  name: 'nop',
  fingerprint: 'nop',
  version: null,
  needs: { hosts: [], variables: [] },
  source: { kind: 'nop' },
  attempt: async () => ({ ending: 'done', exitCode: null, usage: NO_USAGE, message: null, findings: [] }),
};
