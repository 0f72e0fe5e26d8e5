/** A field of an operation's input in derived-forms.ts. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly type: 'text' | 'lines' | 'words' | 'flag' | 'number' | 'choice';
  readonly isRequired: boolean;
  /** A flag that turns something off: checked is false. */
  readonly isNegated?: boolean;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Whether only whole numbers are valid. */
  readonly isWhole?: boolean;
}
