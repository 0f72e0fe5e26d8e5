import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';

interface Row {
  readonly id: string;
  readonly [column: string]: unknown;
}

/** What stands in carrel.db, read past Carrel. */
export interface Records {
  readonly workspaces: readonly (Row & {
    readonly name: string;
    readonly path: string;
    readonly status: string;
    readonly branch: string | null;
    readonly ports: readonly number[];
  })[];
  readonly snapshots: readonly (Row & { readonly commit: string | null; readonly workspaceName: string })[];
  readonly journal: readonly (Row & { readonly kind: string; readonly step: string })[];
  readonly commands: readonly Row[];
  readonly remains: readonly (Row & { readonly owner_pid: number; readonly directory: string })[];
  readonly ports: readonly { readonly first: number; readonly workspace_id: string }[];
}

export function readRecords(stateDir: string): Records {
  const file = join(stateDir, 'carrel.db');
  if (!existsSync(file))
    return { workspaces: [], snapshots: [], journal: [], commands: [], remains: [], ports: [] };
  const database = new Database(file, { timeout: 5000 });
  try {
    const rows = (table: string) => database.prepare(`select * from ${table}`).all() as Row[];
    const detailed = (table: string) =>
      rows(table).map(row => ({ ...row, ...JSON.parse(String(row.details)) }));
    return {
      workspaces: detailed('workspaces'),
      snapshots: detailed('snapshots').map(row => ({ ...row, workspaceName: row.workspace_name })),
      journal: rows('journal') as Records['journal'] & Row[],
      commands: rows('commands'),
      remains: detailed('remains') as Records['remains'] & Row[],
      ports: rows('ports') as unknown as Records['ports'],
    };
  } finally {
    database.close();
  }
}
