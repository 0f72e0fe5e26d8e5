import type { Task } from '../../domain/task/task.js';
import { cutText, oneLine, plainText } from '../attempt/commit/plain-text.js';

/** Characters; longer ones are refused or truncated. */
const LONGEST_TITLE = 120;
const LONGEST_WORDS = 1000;

/** The title and body of a pull request. */
export function pullRequestText(task: Task): { readonly title: string; readonly body: string } {
  const description = plainText(task.description).trim();
  const [first = ''] = description.split('\n');
  const parts = [
    description,
    ...task.stages.filter(stage => stage.message).map(describeStage),
    ...(task.validation.length > 0 ? [task.validation.map(describeCheck).join('\n')] : []),
    `Carrel-Task: ${task.id}`,
  ];
  return {
    title: cutText(oneLine(first), LONGEST_TITLE) || task.id,
    body: `${parts.filter(Boolean).join('\n\n')}\n`,
  };
}

const describeStage = ({ name, agent, message }: Task['stages'][number]): string =>
  `**${oneLine(name)}** (${oneLine(agent)})\n\n${cutText(plainText(message ?? '').trim(), LONGEST_WORDS)}`;

const describeCheck = ({ name, passed }: Task['validation'][number]): string =>
  `- [${passed ? 'x' : ' '}] ${oneLine(name)}`;
