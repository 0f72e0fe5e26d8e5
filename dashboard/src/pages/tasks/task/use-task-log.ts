import { useEffect, useReducer, useRef, useState } from 'react';
import type { LogLine } from '../../../../../src/domain/task/log-line.js';
import { doWhileVisible } from '../../../server/do-while-visible.js';
import { useServer } from '../../../server/server-provider.js';
import { gatherLines } from './gather-lines.js';

export interface TaskLog {
  readonly lines: readonly LogLine[];
  /** Earlier lines that were left out of a long log. */
  readonly leftOut: number;
  readonly error: Error | undefined;
}

const MOST_LINES = 200_000;

/**
 * The log from its start, which grows while the task runs. A new connection continues after the lines that have already
 * arrived.
 */
export function useTaskLog(id: string, isLive: boolean): TaskLog & { readonly retry: () => void } {
  const { client } = useServer();
  const [log, setLog] = useState<TaskLog>({ lines: [], leftOut: 0, error: undefined });
  const [turn, retry] = useReducer((count: number) => count + 1, 0);
  const latest = useRef(isLive);
  latest.current = isLive;
  const known = useRef(0);
  const isFollowing = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn reloads the same log.
  useEffect(() => {
    const follow = latest.current;
    isFollowing.current = follow;
    const gathering = gatherLines(lines => {
      known.current += lines.length;
      setLog(before => append(before, lines));
    });
    const stop = doWhileVisible(async signal => {
      gathering.deliver();
      try {
        let number = 0;
        for await (const line of client.tasks.log(id, { follow, signal })) {
          if (signal.aborted) return;
          number += 1;
          if (number > known.current + gathering.count()) gathering.add(line);
        }
        if (!signal.aborted) isFollowing.current = false;
      } catch (error) {
        if (!signal.aborted) setLog(before => ({ ...before, error: toError(error) }));
      }
    });
    return () => {
      stop();
      gathering.close();
    };
  }, [client, id, turn]);

  // The log of a retried task continues.
  useEffect(() => {
    if (isLive && !isFollowing.current) retry();
  }, [isLive]);
  return { ...log, retry };
}

function append({ lines, leftOut }: TaskLog, more: readonly LogLine[]): TaskLog {
  const all = lines.concat(more);
  const over = Math.max(0, all.length - MOST_LINES);
  return { lines: over > 0 ? all.slice(over) : all, leftOut: leftOut + over, error: undefined };
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
