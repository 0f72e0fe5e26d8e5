import { type KeyboardEvent, type RefCallback, useId, useState } from 'react';
import type { FormField } from './form-field.js';

export interface FormInputProperties {
  readonly field: FormField;
  readonly isFirst: boolean;
  readonly value: unknown;
  readonly names: readonly string[];
  readonly placeholder: string | undefined;
  /** Undefined when the field is empty, so that the request does not have it. */
  readonly onChange: (value: unknown) => void;
}

/** One field with its label and help. */
export function FormInput(properties: FormInputProperties) {
  const { field, value, onChange } = properties;
  const id = useId();
  if (field.type === 'flag')
    return (
      <label className="check">
        <input
          type="checkbox"
          checked={value === !field.isNegated}
          onChange={({ target }) => onChange(target.checked ? !field.isNegated : undefined)}
        />
        {capital(field.description)}
      </label>
    );
  return (
    <div className="field">
      <label htmlFor={id}>{field.label}</label>
      <Control {...properties} id={id} help={`${id}-help`} />
      {field.description !== '' && (
        <p id={`${id}-help`} className="field-help">
          {capital(field.description)}
        </p>
      )}
    </div>
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function Control(properties: FormInputProperties & { readonly id: string; readonly help: string }) {
  switch (properties.field.type) {
    case 'lines':
      return <Lines {...properties} />;
    case 'choice':
      return <Choice {...properties} />;
    case 'number':
      return <Amount {...properties} />;
    case 'words':
      return <Words {...properties} />;
    default:
      return <Text {...properties} />;
  }
}

type ControlProperties = Parameters<typeof Control>[0];

/** What every control has. */
const common = ({ field, isFirst, id, help }: ControlProperties) => ({
  id,
  'aria-describedby': help,
  required: field.isRequired,
  ref: focusIf(isFirst),
});

/** Ctrl+Enter sends, because Enter starts a new line. */
function Lines(properties: ControlProperties) {
  const send = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
  };
  return (
    <textarea
      {...common(properties)}
      rows={4}
      value={textOf(properties.value)}
      onChange={({ target }) => properties.onChange(target.value)}
      onKeyDown={send}
    />
  );
}

function Choice(properties: ControlProperties) {
  return (
    <select
      {...common(properties)}
      value={textOf(properties.value)}
      onChange={({ target }) => properties.onChange(target.value || undefined)}
    >
      <option value="">{properties.placeholder ?? 'as configured'}</option>
      {properties.field.choices?.map(choice => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

function Amount(properties: ControlProperties) {
  const { field, value, placeholder, onChange } = properties;
  return (
    <input
      {...common(properties)}
      type="number"
      min={field.minimum}
      max={field.maximum}
      step={field.isWhole ? 1 : 'any'}
      placeholder={placeholder}
      value={textOf(value)}
      onChange={({ target }) =>
        onChange(Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)
      }
    />
  );
}

/** A list, typed with spaces or commas between. */
function Words(properties: ControlProperties) {
  const { value, placeholder, onChange } = properties;
  const [text, setText] = useState(() => (Array.isArray(value) ? value.join(' ') : ''));
  const change = (typed: string) => {
    setText(typed);
    const words = typed.split(/[\s,]+/).filter(Boolean);
    onChange(words.length > 0 ? words : undefined);
  };
  return (
    <input
      {...common(properties)}
      placeholder={placeholder}
      value={text}
      spellCheck={false}
      onChange={({ target }) => change(target.value)}
    />
  );
}

/** Free text, with known values as suggestions. */
function Text(properties: ControlProperties) {
  const { value, names, placeholder, onChange } = properties;
  const list = useId();
  return (
    <>
      <input
        {...common(properties)}
        placeholder={placeholder}
        value={textOf(value)}
        list={names.length > 0 ? list : undefined}
        spellCheck={false}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
      {names.length > 0 && (
        <datalist id={list}>
          {names.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </>
  );
}

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** The dialog focuses the element with this attribute; React's own `autoFocus` runs before the dialog is open. */
const focusIf = (isFirst: boolean): RefCallback<HTMLElement> | undefined => (isFirst ? beginHere : undefined);
const beginHere = (element: HTMLElement | null): void => element?.setAttribute('autofocus', '');
