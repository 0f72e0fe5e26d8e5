import { type EvalItem, EvalItemSchema } from '../../domain/eval-item.js';

/** What one task directory came to. */
export type TaskReading = { readonly item: EvalItem } | { readonly id: string; readonly reason: string };

/** Holds what was read of a directory to the shape of an item; the first thing that is wrong with it is the reason. */
export function judgeReading(id: string, reading: EvalItem | { readonly reason: string }): TaskReading {
  if ('reason' in reading) return { id, reason: reading.reason };
  const checked = EvalItemSchema.safeParse(reading);
  if (checked.success) return { item: reading };
  const [issue] = checked.error.issues;
  return { id, reason: `${issue?.path.join('.')}: ${issue?.message}` };
}
