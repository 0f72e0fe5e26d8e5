/** One entry of a configuration file. */
export type ConfigPart =
  | { readonly kind: 'entry'; readonly path: readonly [string, string]; readonly value: ConfigValue }
  /** A hook of Claude Code: `command` runs at `event`. */
  | { readonly kind: 'hook'; readonly event: string; readonly command: string };

export type ConfigValue = string | boolean | readonly string[] | { readonly [key: string]: ConfigValue };

/** A configuration file of an agent, and our entries in it. */
export interface ConfigFile {
  /** Absolute. */
  readonly file: string;
  readonly format: 'json' | 'toml';
  readonly parts: readonly ConfigPart[];
}

/** The text of a file with the entries added or removed; the same text when there is nothing to do. */
export type Edit =
  | { readonly kind: 'edited'; readonly text: string; readonly notes: readonly string[] }
  /** The edit might change something else in the file. */
  | { readonly kind: 'impossible'; readonly problem: string };

export type EditAction = 'add' | 'remove';
