import { useOverview } from '../../shell/overview-provider.js';
import { useQuery } from '../../shell/router.js';
import { lastPart } from '../text/amounts.js';

/** The repository in the URL; the server's own when there is none. */
export function useRepository(): string | undefined {
  const [query] = useQuery();
  return query.get('repository') ?? undefined;
}

/** Chooses one of the repositories that the server knows. */
export function RepositoryField() {
  const { data } = useOverview();
  const [query, change] = useQuery();
  const others = (data?.repositories ?? []).filter(repository => repository !== data?.repository);
  if (others.length === 0) return null;
  return (
    <select
      aria-label="Repository"
      value={query.get('repository') ?? ''}
      onChange={({ target }) => change({ repository: target.value })}
    >
      <option value="">{data?.repository ? lastPart(data.repository) : 'no repository'}</option>
      {others.map(repository => (
        <option key={repository} value={repository}>
          {lastPart(repository)}
        </option>
      ))}
    </select>
  );
}
