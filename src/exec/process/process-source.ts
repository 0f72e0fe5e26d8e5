import type { ProcessEntry } from './process-table.js';

/**
 * Where information about processes comes from. Linux has /proc (proc-table.ts); macOS has none, so `ps` and `sysctl`
 * are used (ps-table.ts). Only `systemProcesses` in process-table.ts chooses; functions in this folder take a source as
 * an option, so that tests on Linux cover both.
 */
export interface ProcessSource {
  readonly name: 'proc' | 'ps';
  /**
   * Every living process that is visible to us. A zombie is dead: it only waits for its parent to reap it, possibly
   * forever.
   */
  list(): ProcessEntry[];
  find(pid: number): ProcessEntry | undefined;
  /** All pids; cheaper than the list where processes are read one by one. */
  pids(): number[];
  /** Every process, zombies too, with the states of its threads. */
  listRows(): ProcessRow[];
  /** Reads all environments that are visible to us, and returns a function that finds one. */
  readEnvironments(): (pid: number) => ProcessVariables | undefined;
  /** The command lines of all processes, with arguments separated by spaces. */
  readCommands(): ReadonlyMap<number, string>;
  /** Changes with every boot of the machine. */
  boot(): string;
  /** Stays the same across boots, and differs between machines. */
  machine(): string;
  /**
   * The pid namespace of a process, ours by default; `-` on a system without namespaces, undefined when it is hidden.
   */
  namespaceOf(pid?: number): string | undefined;
}

/** `NAME=value` of a process when it started, each between two NULs, one character per byte. */
export type ProcessVariables = string;

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly startedAt: string;
  /** One letter for every thread that the system shows, as in `ps`; a zombie has only Z. */
  states(): readonly string[];
}
