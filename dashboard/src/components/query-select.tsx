import { useQuery } from '../shell/router.js';

export interface QuerySelectProperties {
  /** The word of the address that holds what is chosen. */
  readonly name: string;
  readonly label: string;
  /** What stands for no choice. */
  readonly all: string;
  readonly values: readonly string[];
  readonly textOf?: ((value: string) => string) | undefined;
}

/** One of some values, which the address holds. */
export function QuerySelect({ name, label, all, values, textOf = value => value }: QuerySelectProperties) {
  const [query, change] = useQuery();
  return (
    <select
      aria-label={label}
      value={query.get(name) ?? ''}
      onChange={({ target }) => change({ [name]: target.value })}
    >
      <option value="">{all}</option>
      {values.map(value => (
        <option key={value} value={value}>
          {textOf(value)}
        </option>
      ))}
    </select>
  );
}
