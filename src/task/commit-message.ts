import type { Task } from '../domain/task.js';
import { cutText, oneLine, plainText } from './plain-text.js';

export interface CommitMessageInput {
  readonly task: Pick<Task, 'id' | 'description'>;
  readonly stage: string;
  readonly agent: string;
  /** The agent's last words, as they came; null when there were none. */
  readonly words: string | null;
}

/** Characters of the first line, which most programs that show history cut here. */
const LONGEST_SUBJECT = 72;
/** Characters of the agent's words; whoever wants all of them reads the log. */
const LONGEST_BODY = 2000;

/** The message of a commit that Carrel makes of what an agent left uncommitted. */
export function commitMessage({ task, stage, agent, words }: CommitMessageInput): string {
  const about = plainText(task.description)
    .split('\n')
    .find(line => line.trim() !== '');
  const subject = cutText(oneLine(`${stage}: ${about ?? task.id}`), LONGEST_SUBJECT);
  const body = cutText(plainText(words ?? '').trim(), LONGEST_BODY);
  // Only the last paragraph counts as trailers, so that words that look like one stay words.
  const trailers = [
    `Carrel-Task: ${task.id}`,
    `Carrel-Stage: ${oneLine(stage)}`,
    `Carrel-Agent: ${oneLine(agent)}`,
  ];
  return [subject, ...(body === '' ? [] : [body]), trailers.join('\n')].join('\n\n');
}
