import { ALL_BITS, type Alternative, type ArgumentTest } from './argument-test.js';
import { and, end, type Instruction, jump, load, unlessAtLeast, unlessEqual } from './bpf.js';

/** What happens to a system call: let through, or refused with an error, unless an alternative holds. */
export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'refuse'; readonly errno: number; readonly unless: readonly Alternative[] };

/** All numbers from this one up to the next span. */
export interface Span {
  readonly from: number;
  readonly verdict: Verdict;
}

/**
 * The program that looks up the verdict for a system call. A call of another architecture kills the process, because
 * its numbers have other meanings. The spans are in ascending order and start at 0.
 */
export function compileFilter(auditArchitecture: number, spans: readonly Span[]): Instruction[] {
  return [
    load(OFFSET.architecture),
    unlessEqual(auditArchitecture, 1),
    jump(1),
    end(ACTION.killProcess),
    load(OFFSET.number),
    ...searchSpans(spans),
  ];
}

/** Within `struct seccomp_data`. */
const OFFSET = { number: 0, architecture: 4, argument: (index: number) => 16 + 8 * index };

/** From linux/seccomp.h. */
export const ACTION = { killProcess: 0x80000000, errno: 0x00050000, allow: 0x7fff0000 };

/** A binary search: halves are skipped with the only far jump, so the number of spans does not matter. */
function searchSpans(spans: readonly Span[]): Instruction[] {
  const middle = spans.length >> 1;
  const split = spans[middle];
  if (!split) throw new RangeError('a filter without a verdict');
  if (middle === 0) return renderVerdict(split.verdict);
  const below = searchSpans(spans.slice(0, middle));
  const above = searchSpans(spans.slice(middle));
  return [unlessAtLeast(split.from, 1), jump(below.length), ...below, ...above];
}

function renderVerdict(verdict: Verdict): Instruction[] {
  if (verdict.kind === 'allow') return [end(ACTION.allow)];
  return [...verdict.unless.flatMap(renderAlternative), end(ACTION.errno | verdict.errno)];
}

/** Falls through to its end as soon as one test fails. */
function renderAlternative([test, ...others]: Alternative): Instruction[] {
  if (!test) return [end(ACTION.allow)];
  const rest = renderAlternative(others);
  return [...loadArgument(test), unlessEqual(test.value, rest.length), ...rest];
}

function loadArgument({ argument, mask }: ArgumentTest): Instruction[] {
  const lower = load(OFFSET.argument(argument));
  return mask === ALL_BITS ? [lower] : [lower, and(mask)];
}
