import type { FormEvent } from 'react';
import type { FormField } from './form-field.js';
import { FormInput } from './form-input.js';

type Request = Readonly<Record<string, unknown>>;

export interface OperationFormProperties<R extends object> {
  readonly fields: readonly FormField[];
  readonly request: R;
  readonly onChange: (request: R) => void;
  /** Known values of a text field, by its name. */
  readonly suggestions?: Readonly<Record<string, readonly string[]>>;
  /** What an empty field means, by its name. */
  readonly placeholders?: Readonly<Record<string, string>>;
  /** The fields that are always shown, in this order; all others open with "More". All of them by default. */
  readonly first?: readonly string[];
  /** Fields that the user has to fill in, besides those that the operation requires. */
  readonly required?: readonly string[];
  readonly button: { readonly label: string; readonly busy: string };
  readonly isBusy: boolean;
  readonly onSubmit: () => void;
}

/** The fields of an operation, in the order of their declaration. The first one has the focus. */
export function OperationForm<R extends object>(properties: OperationFormProperties<R>) {
  const { fields, request, onChange, suggestions = {}, placeholders = {}, required = [] } = properties;
  const { first = fields.map(({ name }) => name), button, isBusy, onSubmit } = properties;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  const show = (field: FormField) => (
    <FormInput
      key={field.name}
      field={{ ...field, isRequired: field.isRequired || required.includes(field.name) }}
      isFirst={field.name === first[0]}
      value={(request as Request)[field.name]}
      names={suggestions[field.name] ?? []}
      placeholder={placeholders[field.name]}
      onChange={value => onChange({ ...request, [field.name]: value })}
    />
  );
  const rest = fields.filter(({ name }) => !first.includes(name));
  return (
    <form className="form" onSubmit={submit}>
      {first.flatMap(name => fields.filter(field => field.name === name)).map(show)}
      {rest.length > 0 && (
        <details>
          <summary>More</summary>
          <div className="form">{rest.map(show)}</div>
        </details>
      )}
      <div className="form-foot">
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? button.busy : button.label}
        </button>
      </div>
    </form>
  );
}
