/** Which hosts can do a job, as one string: queues ignore entries by it. */
export function formatGroup(labels: readonly string[], leftBy: readonly string[]): string {
  return JSON.stringify([labels, leftBy]);
}

export function canDo(
  group: string,
  host: { readonly labels: readonly string[]; readonly session: string },
): boolean {
  const [labels, leftBy] = JSON.parse(group) as [string[], string[]];
  return labels.every(label => host.labels.includes(label)) && !leftBy.includes(host.session);
}

/** The last ones: a job that more hosts left is offered to the first of them again. */
export const MOST_LEAVERS = 64;
