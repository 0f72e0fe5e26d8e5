import type { LimitName } from '../../domain/sandbox/runtime-finding.js';

const USUAL = { memory: 'memory', pids: 'the number of processes' } as const;

/** The default limits that this machine can't enforce, as the end of a sentence; empty when it can. */
export function describeUnlimited(enforceable: readonly LimitName[]): string {
  const missing = (['memory', 'pids'] as const).filter(name => !enforceable.includes(name));
  if (missing.length === 0) return '';
  return `; ${missing.map(name => USUAL[name]).join(' and ')} can't be limited here, because Carrel may not create control groups`;
}
