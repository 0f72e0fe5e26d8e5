import { join, resolve } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { Context } from '../../operations/context.js';

/** Where the jobs of a fleet are: in PostgreSQL, or in a directory of this machine. */
export type FleetAddress =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'directory'; readonly directory: string };

/** `postgres://…`, `local`, or a path. FLEET_ADDRESS_INVALID. */
export function parseFleetAddress(
  { places, cwd }: Pick<Context, 'places' | 'cwd'>,
  text: string,
): FleetAddress {
  if (/^postgres(ql)?:\/\//.test(text)) return { kind: 'postgres', url: text };
  if (text === 'local') return { kind: 'directory', directory: join(places.stateDir, 'fleet', 'local') };
  if (text !== '' && !text.includes('://')) return { kind: 'directory', directory: resolve(cwd, text) };
  throw carrelError('FLEET_ADDRESS_INVALID', {
    what: 'the address of the fleet',
    found: JSON.stringify(text),
    expected: 'postgres://…, a directory, or local',
  });
}
