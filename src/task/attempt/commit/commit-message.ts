import type { Task, TaskPlan } from '../../../domain/task/task.js';
import { cutText, oneLine, plainText } from './plain-text.js';

export interface CommitMessageInput {
  readonly task: Pick<Task, 'id' | 'description' | 'issue'> & {
    readonly plan?: Pick<TaskPlan, 'submittedAs'> | undefined;
  };
  /** Null for work outside a stage. */
  readonly stage: string | null;
  /** Null for changes not made by an agent. */
  readonly agent: string | null;
  /** The agent's final message, unchanged; null when there was none. */
  readonly words: string | null;
  /** Subject of the commit, when it is not the task itself. */
  readonly what?: string | undefined;
}

/** Characters of the first line, which most programs truncate here. */
const LONGEST_SUBJECT = 72;
/** Characters of the agent's message; the log has all of it. */
const LONGEST_BODY = 2000;

/** The message of a commit that Carrel creates from uncommitted changes. */
export function commitMessage({ task, stage, agent, words, what }: CommitMessageInput): string {
  const about = plainText(task.description)
    .split('\n')
    .find(line => line.trim() !== '');
  const parts = [...(stage === null ? [] : [stage]), what ?? about ?? task.id];
  const subject = cutText(oneLine(parts.join(': ')), LONGEST_SUBJECT);
  const body = cutText(plainText(words ?? '').trim(), LONGEST_BODY);
  // Only the last paragraph counts as trailers, so that text that looks like a trailer stays text.
  const trailers = [
    `Carrel-Task: ${task.plan?.submittedAs ?? task.id}`,
    ...(task.issue ? [`Carrel-Issue: #${task.issue.number}`] : []),
    ...(stage === null ? [] : [`Carrel-Stage: ${oneLine(stage)}`]),
    ...(agent === null ? [] : [`Carrel-Agent: ${oneLine(agent)}`]),
  ];
  return [subject, ...(body === '' ? [] : [body]), trailers.join('\n')].join('\n\n');
}
