/** One answer of the scripted model. */
export type Turn = (SayTurn | ToolTurn | StatusTurn | HangTurn) & { readonly usage?: TurnUsage };

/** Words; the agent is done with them. */
export interface SayTurn {
  readonly say: string;
}

/** Asks the agent to run one of the agent's tools. */
export interface ToolTurn {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Refuses with an HTTP status. */
export interface StatusTurn {
  readonly status: number;
  /** Seconds. */
  readonly retryAfter?: number;
}

/** Never answers; the connection stays open until the client or the server closes it. */
export interface HangTurn {
  readonly hang: true;
}

export interface TurnUsage {
  /** Cached ones not among them. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
}

export const DEFAULT_USAGE: TurnUsage = { inputTokens: 100, outputTokens: 10 };
