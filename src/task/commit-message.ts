import type { Task } from '../domain/task.js';
import { cutText, oneLine, plainText } from './plain-text.js';

export interface CommitMessageInput {
  readonly task: Pick<Task, 'id' | 'description'>;
  /** Null for work that is no stage's. */
  readonly stage: string | null;
  /** Null for what no agent did. */
  readonly agent: string | null;
  /** The agent's last words, as they came; null when there were none. */
  readonly words: string | null;
  /** What the commit is, where that is not the task itself. */
  readonly what?: string | undefined;
}

/** Characters of the first line, which most programs that show history cut here. */
const LONGEST_SUBJECT = 72;
/** Characters of the agent's words; whoever wants all of them reads the log. */
const LONGEST_BODY = 2000;

/** The message of a commit that Carrel makes of what was left uncommitted. */
export function commitMessage({ task, stage, agent, words, what }: CommitMessageInput): string {
  const about = plainText(task.description)
    .split('\n')
    .find(line => line.trim() !== '');
  const parts = [...(stage === null ? [] : [stage]), what ?? about ?? task.id];
  const subject = cutText(oneLine(parts.join(': ')), LONGEST_SUBJECT);
  const body = cutText(plainText(words ?? '').trim(), LONGEST_BODY);
  // Only the last paragraph counts as trailers, so that words that look like one stay words.
  const trailers = [
    `Carrel-Task: ${task.id}`,
    ...(stage === null ? [] : [`Carrel-Stage: ${oneLine(stage)}`]),
    ...(agent === null ? [] : [`Carrel-Agent: ${oneLine(agent)}`]),
  ];
  return [subject, ...(body === '' ? [] : [body]), trailers.join('\n')].join('\n\n');
}
