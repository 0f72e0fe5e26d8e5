/**
 * What an argument of a system call has to be: `(argument & mask) === value`, on the lower 32 bits alone. The kernel reads
 * every argument that is tested here as 32 bits or less, so a test of all 64 could be got round by setting an upper one
 * (CVE-2019-10063 was that). This form is also the one that OCI profiles have.
 */
export interface ArgumentTest {
  /** From 0. */
  readonly argument: number;
  readonly mask: number;
  readonly value: number;
}

/** All of them hold. */
export type Alternative = readonly ArgumentTest[];

export const isExactly = (argument: number, value: number): ArgumentTest => ({
  argument,
  mask: ALL_BITS,
  value,
});

export const hasNoneOf = (argument: number, mask: number): ArgumentTest => ({ argument, mask, value: 0 });

export const hasWithin = (argument: number, mask: number, value: number): ArgumentTest => ({
  argument,
  mask,
  value,
});

/**
 * Every value except these. There is no "not equal" that ignores the upper half, so it is expressed in bits: among the
 * values that agree from bit 31 down to some bit, all that differ in the next one are allowed.
 */
export function isNoneOf(argument: number, values: readonly number[]): Alternative[] {
  return differFrom(values, 31, 0, 0).map(test => [{ argument, ...test }]);
}

export const ALL_BITS = 0xffffffff;

function differFrom(
  values: readonly number[],
  bit: number,
  mask: number,
  prefix: number,
): Omit<ArgumentTest, 'argument'>[] {
  if (values.length === 0) return [{ mask, value: prefix }];
  if (bit < 0) return [];
  const weight = 2 ** bit;
  const isSet = (value: number): boolean => Math.floor(value / weight) % 2 === 1;
  return [
    ...differFrom(values.filter(isSet), bit - 1, mask + weight, prefix + weight),
    ...differFrom(
      values.filter(value => !isSet(value)),
      bit - 1,
      mask + weight,
      prefix,
    ),
  ];
}
