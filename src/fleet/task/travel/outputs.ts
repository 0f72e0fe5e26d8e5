import { lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ignoreMissing } from '../../../domain/error/error.js';
import {
  MOST_OUTPUT_BYTES,
  type TravellingOutput,
  TravellingOutputSchema,
} from '../../../domain/fleet/task-order.js';
import type { Stage } from '../../../domain/task/task.js';
import type { Context } from '../../../operations/context.js';
import { safeFileName } from '../../../task/attempt/handoff/safe-file-name.js';
import { taskPlace } from '../../../task/record/task-place.js';
import type { BlobOptions, BlobStore } from '../../artifacts/blob-store.js';
import { downloadBlob } from '../../artifacts/download-blob.js';
import { uploadFile } from '../../artifacts/upload-blob.js';

export interface PackedOutputs {
  /** With the paths of outputs below the directory of their stage. */
  readonly stages: Stage[];
  readonly outputs: TravellingOutput[];
}

/** Where the outputs of a stage are kept. */
const directoryOf = ({ places }: Pick<Context, 'places'>, taskId: string, stage: string): string =>
  join(taskPlace(places.stateDir, taskId).outputsDir, safeFileName(stage));

/** Stores the files that stages have passed on. One that is gone or too large is left out, with a warning. */
export async function packOutputs(
  context: Pick<Context, 'places'>,
  store: BlobStore,
  task: { readonly id: string; readonly stages: readonly Stage[] },
  options?: BlobOptions,
): Promise<PackedOutputs> {
  const outputs: TravellingOutput[] = [];
  const stages: Stage[] = [];
  for (const stage of task.stages) {
    const kept: Stage['outputs'] = [];
    const warnings: string[] = [];
    for (const output of stage.outputs) {
      const path = relative(directoryOf(context, task.id, stage.name), output.file);
      const stats = await lstat(output.file).catch(ignoreMissing);
      const described = TravellingOutputSchema.omit({ hash: true }).safeParse({
        ...{ stage: stage.name, path, size: stats?.isFile() ? stats.size : -1 },
      });
      if (!described.success) warnings.push(`the output ${output.name} did not travel`);
      if (!described.success) continue;
      outputs.push({ ...described.data, hash: await uploadFile(store, output.file, options) });
      kept.push({ ...output, file: path });
    }
    stages.push({ ...stage, outputs: kept, warnings: [...stage.warnings, ...warnings] });
  }
  return { stages, outputs };
}

/** Writes the files of another machine to the place of a task here, and returns the stages with their paths. */
export async function unpackOutputs(
  context: Pick<Context, 'places'>,
  store: BlobStore,
  taskId: string,
  { stages, outputs }: PackedOutputs,
  options?: BlobOptions,
): Promise<Stage[]> {
  const own = outputs.filter(({ stage }) => stages.some(({ name }) => name === stage));
  for (const { stage, path, size, hash } of own) {
    const file = join(directoryOf(context, taskId, stage), path);
    await downloadBlob(store, hash, file, { ...options, limitBytes: Math.min(size, MOST_OUTPUT_BYTES) });
  }
  return stages.map(stage => ({
    ...stage,
    outputs: stage.outputs.flatMap(output => {
      const found = own.find(({ stage: name, path }) => name === stage.name && path === output.file);
      return found ? [{ ...output, file: join(directoryOf(context, taskId, stage.name), found.path) }] : [];
    }),
  }));
}
