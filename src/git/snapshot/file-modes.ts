import type { BytePath } from '../byte-path.js';

/** Permission bits. git keeps only one of them, so the others are recorded where they differ from this work tree's usual mode. */
export interface Modes {
  readonly file: number;
  readonly executable: number;
  readonly directory: number;
  readonly exceptions: readonly (readonly [path: BytePath, mode: number])[];
}

export type ModeKind = 'file' | 'executable' | 'directory';

export interface ModeFact {
  readonly path: BytePath;
  readonly kind: ModeKind;
  readonly mode: number;
}

export function summarizeModes(facts: readonly ModeFact[]): Modes {
  const usual = {
    file: mostFrequent(facts, 'file', 0o644),
    executable: mostFrequent(facts, 'executable', 0o755),
    directory: mostFrequent(facts, 'directory', 0o755),
  };
  const exceptions = facts
    .filter(fact => fact.mode !== usual[fact.kind])
    .map(fact => [fact.path, fact.mode] as const);
  return { ...usual, exceptions };
}

/** Returns a function that gives the mode of a path of a kind. */
export function modeLookup(modes: Modes): (path: BytePath, kind: ModeKind) => number {
  const exceptions = new Map(modes.exceptions);
  return (path, kind) => exceptions.get(path) ?? modes[kind];
}

function mostFrequent(facts: readonly ModeFact[], kind: ModeKind, otherwise: number): number {
  const counts = new Map<number, number>();
  for (const fact of facts) {
    if (fact.kind === kind) counts.set(fact.mode, (counts.get(fact.mode) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first?.[0] ?? otherwise;
}
