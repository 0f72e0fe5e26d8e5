import { randomUUID } from 'node:crypto';
import type { SayTurn, ToolTurn, TurnUsage } from './script.js';

/** One wire format of a model's host. */
export interface ModelApi {
  /** Whether a request is in this format, by method and path. */
  matches(request: ModelRequest): boolean;
  /** An answer outside of the script, such as a count of tokens or a title for the session; undefined for a real turn. */
  answerAside(request: ModelRequest): ModelReply | undefined;
  /** What the model says or asks for. */
  answer(turn: SayTurn | ToolTurn, usage: TurnUsage, request: ModelRequest): ModelReply;
  /** The body that goes with an HTTP status that is an error. */
  describeError(status: number): unknown;
}

export interface ModelRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed; an empty object when there was none. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ModelReply {
  readonly contentType: 'application/json' | 'text/event-stream';
  readonly text: string;
}

export const jsonReply = (value: unknown): ModelReply => ({
  contentType: 'application/json',
  text: JSON.stringify(value),
});

/** Server-sent events; `event:` lines are written for those formats whose events have a type. */
export function eventReply(events: readonly Readonly<Record<string, unknown>>[]): ModelReply {
  const text = events.map(event => {
    const head = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
    return `${head}data: ${JSON.stringify(event)}\n\n`;
  });
  return { contentType: 'text/event-stream', text: text.join('') };
}

/** Whether tools are offered: an agent at work does, its questions for a title or a summary do not. */
export const offersTools = ({ body }: ModelRequest): boolean =>
  Array.isArray(body.tools) && body.tools.length > 0;

/** Agents count a message once by it. */
export const newId = (prefix: string): string => `${prefix}_${randomUUID()}`;
