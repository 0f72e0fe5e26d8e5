import type { AgentProblem, ResultReader } from '../result-reader.js';
import { describeHttpProblem } from './http-problem.js';
import { boundActivity } from './shown-text.js';

interface HostMessage {
  readonly pattern: RegExp;
  readonly kind: AgentProblem['kind'];
}

/**
 * What programs print about their model's host when they print no status. Matched only in text that a program itself marks
 * as an error, never in text that a model wrote. The comments say where each was seen.
 */
const MESSAGES: readonly HostMessage[] = [
  // Gemini: "[API Error: Resource has been exhausted (e.g. check quota).]", google-gemini/gemini-cli#19976.
  { pattern: /\bRESOURCE_EXHAUSTED\b|\bResource (has been )?exhausted\b/i, kind: 'rate-limited' },
  // Copilot: "Sorry, you've hit a rate limit that restricts the number of Copilot model requests", "you have been
  // rate-limited", `"code":"rate_limited"`; github/copilot-cli#2336, #2740, #138. Amp forwards the messages of its hosts.
  { pattern: /\brate[ _-]?limit(ed|s|_exceeded|_error)?\b|\btoo many requests\b/i, kind: 'rate-limited' },
  // Anthropic's term for an overloaded host, for programs that forward it.
  { pattern: /\boverloaded(_error)?\b/i, kind: 'rate-limited' },
  // Copilot: "Failed to get response from the AI model; retried 5 times", github/copilot-cli#138; "Request failed due to
  // a transient API error", #2073.
  { pattern: /\bFailed to get response from the AI model\b|\btransient API error\b/, kind: 'host-failed' },
  // Qwen: "Request timeout after 64s", "Streaming request timeout after 64s", from its own source.
  { pattern: /\brequest (timeout after|timed out)\b/i, kind: 'host-failed' },
  // Messages of Node.js and the client libraries for failed connections; Gemini and Qwen forward them.
  { pattern: /\bfetch failed\b|\bConnection error\.|\bsocket hang up\b/, kind: 'host-failed' },
  { pattern: /\b(ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE)\b/, kind: 'host-failed' },
];

/** The meaning of the last message of a program that gave up. */
export function describeHostMessage(message: string): AgentProblem {
  const text = boundActivity(message) ?? 'an error';
  const status = STATUS.exec(message)
    ?.slice(1)
    .find(each => each !== undefined);
  if (status !== undefined) return describeHttpProblem(Number(status), text, findDelay(message));
  const kind = MESSAGES.find(({ pattern }) => pattern.test(message))?.kind ?? 'agent-failed';
  return kind === 'rate-limited' ? { kind, text, retryAfterMs: findDelay(message) } : { kind, text };
}

/**
 * "got status: 429 Too Many Requests" (google-gemini/gemini-cli#2020), "failed with status 429" (#14811),
 * "429 status code (no body)" (QwenLM/qwen-code#882).
 */
const STATUS =
  /\b(?:status(?: code)?:? |HTTP )([45]\d\d)\b|\[API Error: ([45]\d\d)\b|\b([45]\d\d) status code\b/;

/** "Please try again in 2 hours", "Please wait 2 minutes", "wait 6 seconds" (github/copilot-cli#2336, #2740, #2787). */
function findDelay(message: string): number | undefined {
  const [, figure, unit] = /\b(?:try again in|wait) (\d+) (second|minute|hour)s?\b/.exec(message) ?? [];
  return figure === undefined ? undefined : Number(figure) * (UNITS[unit ?? ''] ?? 0);
}

const UNITS: Readonly<Record<string, number>> = { second: 1000, minute: 60_000, hour: 3_600_000 };

/**
 * A reader that also knows why Gemini, or its fork Qwen, is waiting: "Attempt 2 failed with status 429.
 * Retrying with backoff..." on standard error (google-gemini/gemini-cli#14811). The next line of output ends the wait.
 */
export function withRetryLines(reader: ResultReader): ResultReader {
  let wait: AgentProblem | undefined;
  return {
    ...reader,
    readLine: line => {
      if (line.startsWith('{')) wait = undefined;
      reader.readLine(line);
    },
    readErrorLine: line => {
      if (/^\W*Attempt \d+ failed\b/.test(line))
        wait = asHostFailure(describeHostMessage(line.slice(0, MOST_READ)));
      reader.readErrorLine(line);
    },
    waitsFor: () => wait ?? reader.waitsFor?.(),
  };
}

/** The host's whole response follows on the line. */
const MOST_READ = 500;

/** It retries in any case. */
const asHostFailure = (problem: AgentProblem): AgentProblem =>
  problem.kind === 'agent-failed' ? { ...problem, kind: 'host-failed' } : problem;
