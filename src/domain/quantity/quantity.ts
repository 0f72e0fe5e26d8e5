import { carrelError } from '../error/error.js';

const DURATION_UNITS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const SIZE_UNITS: Record<string, number> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `90s`, `15m`, `12h`, `7d` in milliseconds. An error names the option. */
export function parseDuration(value: string, option?: string): number {
  const milliseconds = findDuration(value);
  if (milliseconds === undefined)
    throw carrelError('INVALID_DURATION', option === undefined ? { value } : { value, option });
  return milliseconds;
}

/** `512k`, `512m`, `2g` (with or without a trailing `b` or `ib`) in bytes. */
export function parseSize(value: string): number {
  const bytes = findSize(value);
  if (bytes === undefined) throw carrelError('INVALID_SIZE', { value });
  return bytes;
}

export const isDuration = (value: string): boolean => findDuration(value) !== undefined;
export const isSize = (value: string): boolean => findSize(value) !== undefined;

function findDuration(value: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(value.trim());
  return match ? toSafeInteger(Number(match[1]) * (DURATION_UNITS[match[2] as string] as number)) : undefined;
}

function findSize(value: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(?:(b)|([kmgt])(?:i?b)?)$/i.exec(value.trim());
  const unit = (match?.[2] ?? match?.[3])?.toLowerCase();
  return match && unit ? toSafeInteger(Number(match[1]) * (SIZE_UNITS[unit] as number)) : undefined;
}

/** A number beyond the safe range is refused like a text that is not a number. */
function toSafeInteger(value: number): number | undefined {
  const rounded = Math.round(value);
  return Number.isSafeInteger(rounded) ? rounded : undefined;
}
