import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';

/** The ids found in a repository, to compare with Carrel's records. */
export interface CarrelNames {
  /** Workspaces with an admin directory among the worktrees. */
  readonly registered: ReadonlySet<string>;
  /** Workspaces with a pin below refs/carrel/workspaces. */
  readonly pinned: ReadonlySet<string>;
  /** Snapshots with a ref. */
  readonly snapshots: ReadonlySet<string>;
  /** Slots of a pool with a pin below refs/carrel/pool. */
  readonly slots: ReadonlySet<string>;
}

/**
 * Read from the files (gitrepository-layout(5)) without a process, because every listing needs it. A missing git directory
 * has none.
 */
export async function readCarrelNames(commonDir: string): Promise<CarrelNames> {
  const packed = (await readFile(join(commonDir, 'packed-refs'), 'utf8').catch(() => '')) ?? '';
  const find = async (folder: 'snapshots' | 'workspaces' | 'pool', prefix: string) => {
    const loose = await list(join(commonDir, 'refs', 'carrel', folder), prefix);
    const pattern = new RegExp(` refs/carrel/${folder}/(${prefix}\\w+)`, 'g');
    return new Set([...loose, ...[...packed.matchAll(pattern)].map(([, id]) => id as string)]);
  };
  return {
    registered: new Set(await list(join(commonDir, 'worktrees'), 'ws_')),
    pinned: await find('workspaces', 'ws_'),
    snapshots: await find('snapshots', 'snap_'),
    slots: await find('pool', 'slot_'),
  };
}

async function list(directory: string, prefix: string): Promise<string[]> {
  const names = (await readdir(directory).catch(ignoreUnreadable)) ?? [];
  return names.filter(name => name.startsWith(prefix) && /^\w+$/.test(name));
}

const ignoreUnreadable = (error: unknown): undefined => {
  const code = (error as { code?: string }).code;
  if (code === 'ENOTDIR' || code === 'EACCES') return undefined;
  return ignoreMissing(error);
};
