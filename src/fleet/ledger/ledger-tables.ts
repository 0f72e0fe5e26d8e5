/**
 * The tables as SQL sees them, the same in SQLite and PostgreSQL. Times are milliseconds since 1970 by the clock of the
 * database, and money is in millionths of a dollar; both are `double precision` with whole numbers, which is exact and
 * which both databases return as numbers.
 */
export interface LedgerTables {
  fleet_runs: RunRow;
  fleet_jobs: JobRow;
  fleet_claims: ClaimRow;
  fleet_results: ResultRow;
  fleet_hosts: HostRow;
  fleet_limits: LimitRow;
  fleet_settings: SettingsRow;
}

interface RunRow {
  id: string;
  plan: string;
  parallelism: number;
  limit_micros: number | null;
  spent_micros: number;
  unknown_micros: number;
  reserved_micros: number;
  /** From `cancel` until it is submitted again: 1, or 2 when its claims may finish. */
  cancelled: number;
  submitted_at: number;
  /** The sequence of its newest result. */
  results: number;
  /** The newest result that its submitter has. */
  acknowledged: number;
  /** The position of its newest job. */
  positions: number;
}

export interface JobRow {
  id: string;
  run: string;
  task: string;
  attempt: number;
  priority: number;
  /** JSON, sorted. */
  labels: string;
  body: string;
  provider: string | null;
  state: 'waiting' | 'open' | 'claimed' | 'done' | 'cancelled';
  position: number;
  /** Its id in the queue; another one after a host left it. Null while it is not in the queue. */
  entry: string | null;
  claims: number;
  /** Claims that ended with a dead host or a crashed handler. */
  deaths: number;
  /** JSON: the sessions of hosts that left it. */
  left_by: string;
  left_reason: string | null;
}

export interface ClaimRow {
  entry: string;
  job: string;
  run: string;
  number: number;
  /** How the queue counts the claims of this entry. */
  retry: number;
  host: string;
  /** One call of `work`. */
  session: string;
  since: number;
  beat_at: number;
  reserved_micros: number;
  /** JSON of a `HostReport`. */
  report: string | null;
}

export interface ResultRow {
  run: string;
  task: string;
  attempt: number;
  sequence: number;
  claim: number;
  host: string;
  record: string | null;
  gave_up: string | null;
  cost_micros: number;
  recorded_at: number;
}

export interface HostRow {
  id: string;
  session: string;
  name: string;
  labels: string;
  slots: number;
  versions: string;
  disk_free: number | null;
  refusing: string | null;
  draining: number;
  gone: number;
  beat_at: number;
}

/** One row. */
interface SettingsRow {
  id: number;
  settings: string;
}

interface LimitRow {
  provider: string;
  until: number;
}
