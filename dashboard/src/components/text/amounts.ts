const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** 1.5 GB; in powers of 1000, as disks are sold. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** 42 s, 3 min 5 s, 2 h 10 min, 4 d. */
export function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
  return `${Math.floor(ms / DAY)} d`;
}

/** For finished work: tenths of a second where they matter. */
export const formatSpan = (milliseconds: number): string =>
  milliseconds < 10 * SECOND ? `${(milliseconds / SECOND).toFixed(1)} s` : formatDuration(milliseconds);

/** now, 42 s ago, 3 min ago, 2 h ago, 4 d ago; or in 3 d. */
export function formatAge(at: string, now: number): string {
  const ms = now - Date.parse(at);
  const words = roundDuration(Math.abs(ms));
  if (words === '') return 'now';
  return ms < 0 ? `in ${words}` : `${words} ago`;
}

function roundDuration(ms: number): string {
  if (ms < 5 * SECOND) return '';
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} d`;
}

export const formatCost = (usd: number): string => `$${usd.toFixed(usd < 1 ? 3 : 2)}`;

/** 1,200 commits, 1 commit. */
export const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** The last part of a path, which is what people call a repository. */
export const lastPart = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) || path;

export const shortCommit = (commit: string): string => commit.slice(0, 10);

/** 62 %; of a share from 0 to 1. */
export const formatShare = (share: number): string => `${Math.round(100 * share)} %`;
