import { type EvalItem, EvalItemSchema } from '../../../domain/batch/eval-item.js';

/** The result of reading one task directory. */
export type TaskReading = { readonly item: EvalItem } | { readonly id: string; readonly reason: string };

/** Validates what was read as an item; the first problem is the reason. */
export function checkReading(id: string, reading: EvalItem | { readonly reason: string }): TaskReading {
  if ('reason' in reading) return { id, reason: reading.reason };
  const checked = EvalItemSchema.safeParse(reading);
  if (checked.success) return { item: reading };
  const [issue] = checked.error.issues;
  return { id, reason: `${issue?.path.join('.')}: ${issue?.message}` };
}
