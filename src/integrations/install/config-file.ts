/** One thing that belongs in a configuration file. */
export type ConfigPart =
  | { readonly kind: 'entry'; readonly path: readonly [string, string]; readonly value: ConfigValue }
  /** A hook of Claude Code's: `command` is called at `event`. */
  | { readonly kind: 'hook'; readonly event: string; readonly command: string };

export type ConfigValue = string | boolean | readonly string[] | { readonly [key: string]: ConfigValue };

/** A file of an agent's, and what belongs in it. */
export interface ConfigFile {
  /** Absolute. */
  readonly file: string;
  readonly format: 'json' | 'toml';
  readonly parts: readonly ConfigPart[];
}

/** The text of a file with the parts added or taken out; the same text when there is nothing to do. */
export type Edit =
  | { readonly kind: 'edited'; readonly text: string; readonly notes: readonly string[] }
  /** It can't be promised that nothing else in the file changes. */
  | { readonly kind: 'impossible'; readonly problem: string };

export type EditAction = 'add' | 'remove';
