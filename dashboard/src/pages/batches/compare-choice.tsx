import { navigate, useQuery } from '../../shell/router.js';

/** Whether a run is selected for comparison; the URL keeps the selection in order. */
export function CompareChoice({ id, name }: { readonly id: string; readonly name: string }) {
  const [chosen, choose] = useChosenRuns();
  const toggle = () => choose(chosen.includes(id) ? chosen.filter(each => each !== id) : [...chosen, id]);
  return (
    <input type="checkbox" aria-label={`Compare ${name}`} checked={chosen.includes(id)} onChange={toggle} />
  );
}

export function CompareButton() {
  const [chosen] = useChosenRuns();
  if (chosen.length === 0) return null;
  return (
    <button
      type="button"
      disabled={chosen.length < 2}
      onClick={() => navigate(`/batches/compare?runs=${chosen.join(',')}`)}
    >
      {chosen.length < 2 ? 'Choose another run to compare' : `Compare ${chosen.length} runs`}
    </button>
  );
}

/** The first one is the baseline. */
export function useChosenRuns(): readonly [readonly string[], (runs: readonly string[]) => void] {
  const [query, change] = useQuery();
  const chosen = (query.get('runs') ?? '').split(',').filter(Boolean);
  return [chosen, runs => change({ runs: runs.join(',') })];
}
