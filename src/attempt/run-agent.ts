import { classifyEnding } from '../agent/classify-ending.js';
import type { Invocation } from '../agent/invocation.js';
import type { ResultReader } from '../agent/result-reader.js';
import { MOST_JSON_CHARACTERS } from '../agent/stream/line-splitter.js';
import { createSkimmer } from '../agent/stream/skimmer.js';
import type { Usage } from '../domain/agent/usage.js';
import type { Command } from '../domain/command/command.js';
import type { Environment } from '../domain/command/environment.js';
import type { Redactor } from '../domain/secret/redactor.js';
import { type FollowedResult, type OnLine, runFollowed } from './run-followed.js';

export interface AgentCall extends Pick<Command, 'timeoutMs' | 'signal' | 'maxOutputBytes'> {
  readonly environment: Environment;
  readonly redactor: Redactor;
  readonly invocation: Invocation;
  readonly reader: ResultReader;
  readonly onLine: OnLine;
  /** What it is doing, each once. */
  readonly onActivity: (activity: string) => void;
  /** What it has used so far, after every piece of output. */
  readonly onUsage: (usage: Usage) => void;
  /** A line of JSON was too long to read; tokens and cost in it are missing. */
  readonly onUnread: () => void;
}

export interface AgentRun extends FollowedResult {
  /** Undefined when it succeeded. */
  readonly ending: ReturnType<typeof classifyEnding>;
}

/** Runs an agent's program once and reads its stream: lines, activity, usage and result. */
export async function runAgent(call: AgentCall): Promise<AgentRun> {
  const { environment, redactor, invocation, reader, timeoutMs, signal, maxOutputBytes } = call;
  const followed = await runFollowed(
    environment,
    { ...invocation, timeoutMs, signal, maxOutputBytes },
    { redactor, readers: createReaders(call), onProgress: createReport(call) },
  );
  const { result } = followed;
  if (result.exitCode !== null) reader.readExit?.(result.exitCode);
  return { ...followed, ending: classifyEnding({ ...result, problem: reader.problem() }) };
}

function createReaders({ reader, onLine, onUnread }: AgentCall) {
  const readLine = (line: string) => {
    onLine('stdout', line);
    reader.readLine(line);
  };
  const readErrorLine = (line: string) => {
    onLine('stderr', line);
    reader.readErrorLine(line);
  };
  const noticeCut = (line: string) => {
    if (line.startsWith('{')) onUnread();
  };
  return { stdout: createSkimmer(readLine, undefined, noticeCut), stderr: createSkimmer(readErrorLine) };
}

function createReport({ reader, onActivity, onUsage }: AgentCall): () => void {
  let shown: string | undefined;
  return () => {
    onUsage(reader.usage());
    const activity = reader.activity();
    if (activity === undefined || activity === shown) return;
    shown = activity;
    onActivity(activity);
  };
}

/** Agents report tokens and cost in lines of JSON; those of an unread line are missing. */
export const describeUnread = (lines: string): string =>
  `printed ${lines} of JSON above ${MOST_JSON_CHARACTERS / 1024 ** 2} MiB, which was not read: tokens and cost may be incomplete`;
