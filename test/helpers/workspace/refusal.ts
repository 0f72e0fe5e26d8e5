import type { Outcome } from '../carrel.js';

/** A failing call with --json as it reads: code, exit status, message and hint, with the test's own paths named. */
export function describeRefusal(outcome: Outcome, places: Readonly<Record<string, string>> = {}): string {
  const { code, message, hint } = JSON.parse(outcome.stdout).error;
  return namePlaces(`${code}, exit status ${outcome.status}\n${message}\nhint: ${hint}`, places);
}

/** Puts `<name>` for each path, the longest first, so that a path inside another is not cut. */
function namePlaces(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places)
    .sort(([, a], [, b]) => b.length - a.length)
    .reduce((named, [name, path]) => named.replaceAll(path, `<${name}>`), text);
}
