/** Which hosts can do a job, and which provider it needs, as one string: queues ignore entries by it. */
export function formatGroup(
  labels: readonly string[],
  leftBy: readonly string[],
  provider: string | null,
): string {
  return JSON.stringify(provider === null ? [labels, leftBy] : [labels, leftBy, provider]);
}

export function canDo(
  group: string,
  host: { readonly labels: readonly string[]; readonly session: string },
): boolean {
  const [labels, leftBy] = parse(group);
  return labels.every(label => host.labels.includes(label)) && !leftBy.includes(host.session);
}

export const providerOfGroup = (group: string): string | undefined => parse(group)[2];

const parse = (group: string) => JSON.parse(group) as [string[], string[], string?];

/** The last ones: a job that more hosts left is offered to the first of them again. */
export const MOST_LEAVERS = 64;
