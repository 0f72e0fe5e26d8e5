import { useQuery } from '../../shell/router.js';

export interface QuerySelectProperties {
  /** The URL parameter of the choice. */
  readonly name: string;
  readonly label: string;
  /** The label for no choice. */
  readonly all: string;
  readonly values: readonly string[];
  readonly textOf?: ((value: string) => string) | undefined;
}

/** One of several values, kept in the URL. */
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
