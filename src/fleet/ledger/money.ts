/** Money is counted in whole millionths of a dollar, so that sums are exact. Rounded up: a limit is never exceeded. */
export const toMicros = (usd: number): number => Math.ceil(Math.max(0, usd) * 1e6 - 1e-6);

export const toUsd = (micros: number): number => micros / 1e6;
