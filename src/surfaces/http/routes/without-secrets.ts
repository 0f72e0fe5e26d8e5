import type { ConfigReport } from '../../../domain/report/result.js';

const HIDDEN = '(hidden)';

/** The configuration without the values of variables, which may contain API keys. */
export function withoutSecrets({ files, values }: ConfigReport): ConfigReport {
  return {
    files,
    values: values.map(entry => ({ ...entry, value: hide(entry.value, isHiding(entry.key)) })),
  };
}

const isHiding = (key: string): boolean => key.split('.').includes(HOLDER);

/** Everything below this key is variables, in agents and in containers. */
const HOLDER = 'environment';

function hide(value: unknown, isHidden: boolean): unknown {
  if (Array.isArray(value)) return value.map(each => hide(each, isHidden));
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(([key, each]) => [key, hide(each, isHidden || key === HOLDER)]);
    return Object.fromEntries(entries);
  }
  return isHidden ? HIDDEN : value;
}
