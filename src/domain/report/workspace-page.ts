import { z } from 'zod';
import { SnapshotSchema } from '../snapshot/snapshot.js';
import { AutorunFileSchema } from '../workspace/autorun-file.js';
import { WorkspaceDetailsSchema } from '../workspace/workspace.js';
import { RefusedConnectionSchema, RiskSchema } from './result.js';

export const WorkspacePageSchema = WorkspaceDetailsSchema.extend({
  risks: z.array(RiskSchema).describe('what removing it would lose'),
  refusedConnections: z
    .array(RefusedConnectionSchema)
    .describe("recent connections that its sandbox's network refused"),
  autorunFiles: z.array(AutorunFileSchema).describe('added or changed files that tools run automatically'),
  snapshots: z.array(SnapshotSchema),
}).meta({ id: 'workspace-page', title: 'Workspace with its risks and snapshots' });
/** A workspace with the state of its files, what removing it would lose, and its snapshots. */
export type WorkspacePage = z.infer<typeof WorkspacePageSchema>;
