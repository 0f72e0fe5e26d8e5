import { carrelError } from '../../domain/error/error.js';
import { encodeProgram } from './bpf.js';
import { compileFilter, type Span, type Verdict } from './compile.js';
import { ENOSYS, listRefusals, type Refusal, type SeccompChoice } from './refusals.js';
import { listSyscalls, type SeccompArchitecture } from './syscalls.js';

/** The filter in the format of bubblewrap's --seccomp. `architecture` is that of `process.arch`. */
export function buildSeccompFilter(architecture: string, choice: SeccompChoice): Buffer {
  const known = requireSeccompArchitecture(architecture, 'bubblewrap');
  const spans = listSpans(listSyscalls(known), listRefusals(choice));
  return encodeProgram(compileFilter(AUDIT_ARCHITECTURE[known], spans));
}

/** Without a filter for its architecture nothing runs: the numbers of another one would refuse the wrong calls. */
export function requireSeccompArchitecture(architecture: string, runtime: string): SeccompArchitecture {
  if (architecture === 'x64' || architecture === 'arm64') return architecture;
  const problem = `there is no system call filter for ${architecture} processors`;
  throw carrelError('SANDBOX_REFUSED', { runtime, problem });
}

/** From linux/audit.h. */
const AUDIT_ARCHITECTURE: Readonly<Record<SeccompArchitecture, number>> = {
  x64: 0xc000003e,
  arm64: 0xc00000b7,
};

/** What is not in the table is not a system call; this also refuses those of x32, which have bit 30 set. */
const UNKNOWN: Verdict = { kind: 'refuse', errno: ENOSYS, unless: [] };
const ALLOW: Verdict = { kind: 'allow' };

function listSpans(numbers: ReadonlyMap<string, number>, refusals: readonly Refusal[]): Span[] {
  const verdicts = new Map([...numbers.values()].map(number => [number, ALLOW]));
  for (const refusal of refusals) {
    const verdict = refuse(refusal);
    // A name that is not in the table belongs to another architecture.
    for (const name of refusal.syscalls) verdicts.set(numbers.get(name) ?? Number.NaN, verdict);
  }
  const spans: Span[] = [];
  const last = Math.max(...numbers.values()) + 1;
  for (let number = 0; number <= last; number++) {
    const verdict = verdicts.get(number) ?? UNKNOWN;
    if (spans.at(-1)?.verdict !== verdict) spans.push({ from: number, verdict });
  }
  return spans;
}

function refuse({ errno, unless = [] }: Refusal): Verdict {
  return { kind: 'refuse', errno, unless };
}
