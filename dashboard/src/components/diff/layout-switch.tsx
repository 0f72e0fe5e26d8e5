import { useId } from 'react';
import type { Layout } from './diff-rows.js';

const LABELS: readonly (readonly [Layout, string])[] = [
  ['unified', 'Unified'],
  ['split', 'Split'],
];

export function LayoutSwitch({
  layout,
  onChange,
}: {
  readonly layout: Layout;
  readonly onChange: (layout: Layout) => void;
}) {
  const name = useId();
  return (
    <fieldset className="theme-switch">
      <legend className="visually-hidden">Layout of the diff</legend>
      {LABELS.map(([value, label]) => (
        <label key={value}>
          <input type="radio" name={name} checked={layout === value} onChange={() => onChange(value)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
