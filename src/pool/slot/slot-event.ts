import type { EventType, NewEvent } from '../../domain/event.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';

export const slotEvent = (
  type: Extract<EventType, `slot.${string}`>,
  slot: Pick<SlotRecord, 'id' | 'repositoryId'>,
  data: Readonly<Record<string, unknown>> = {},
): NewEvent => ({
  type,
  repositoryId: slot.repositoryId,
  workspaceId: null,
  data: { slot: slot.id, ...data },
});
