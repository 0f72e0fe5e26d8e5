import type { Backend } from '../backend.js';

/** The functions of a backend; those of a part that is null are not there. */
export const BACKEND_METHODS = {
  own: {
    required: ['locate', 'resolve', 'create', 'undoCreate', 'inspect', 'findRisks', 'workTree'],
    optional: ['findObstacle', 'relink'],
  },
  removal: {
    required: ['hasRemains', 'asideOf', 'setAside', 'putBack', 'unregister', 'destroy'],
    optional: [],
  },
  diffing: { required: ['diff'], optional: [] },
  snapshots: { required: ['place', 'capture', 'verify', 'release'], optional: ['verifySent'] },
  returning: { required: ['fill'], optional: ['clear'] },
  landing: { required: ['prepare', 'move', 'finish', 'commitAll'], optional: [] },
} as const;

export type BackendPart = Exclude<keyof typeof BACKEND_METHODS, 'own'>;

const OPTIONAL_PARTS = ['diffing', 'snapshots', 'returning', 'landing'] as const;

/** Throws an error that names what a value lacks to be a backend. */
export function requireBackend(value: unknown): Backend {
  if (typeof value !== 'object' || value === null)
    throw new Error(`it returned ${value === null ? 'null' : typeof value}; expected a backend`);
  const missing = listMissing(value as Record<string, unknown>);
  if (missing.length > 0) throw new Error(`the backend that it returned lacks ${missing.join(', ')}`);
  return value as Backend;
}

function listMissing(backend: Record<string, unknown>): string[] {
  const flags = typeof backend.ownsFiles === 'boolean' ? [] : ['ownsFiles'];
  const parts = (Object.keys(BACKEND_METHODS) as (keyof typeof BACKEND_METHODS)[]).flatMap(part => {
    const place = part === 'own' ? backend : backend[part];
    if (place === null && (OPTIONAL_PARTS as readonly string[]).includes(part)) return [];
    if (typeof place !== 'object' || place === null) return [part];
    const missing = BACKEND_METHODS[part].required.filter(
      method => typeof (place as Record<string, unknown>)[method] !== 'function',
    );
    return missing.map(method => (part === 'own' ? method : `${part}.${method}`));
  });
  const unkept = backend.ownsFiles === true && backend.snapshots === null ? ['snapshots'] : [];
  return [...flags, ...parts, ...unkept];
}
