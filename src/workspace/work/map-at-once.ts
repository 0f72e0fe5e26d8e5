/** Results in the order of `items`, with at most `limit` of them under way. */
export async function mapAtOnce<In, Out>(
  items: readonly In[],
  limit: number,
  action: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const results = new Array<Out>(items.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await action(items[index] as In);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
