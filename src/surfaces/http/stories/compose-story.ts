import { carrelError } from '../../../domain/error/error.js';
import type { Story, WorkflowRequest } from '../../../domain/story/developer-workflow.js';

type StoryFields = Pick<WorkflowRequest, 'story' | 'content' | 'description' | 'title'>;

/** The text for the agents, from any form of a story. INVALID_INPUT if it is empty. */
export function composeStory({ title, story, content, description }: StoryFields): string {
  const parts = [title, ...(story === undefined ? [] : formatStory(story)), content, description]
    .map(part => part?.trim() ?? '')
    .filter(part => part !== '');
  const text = [...new Set(parts)].join('\n\n');
  if (text !== '') return text;
  const expected = 'a story, as `story`, `content` or `description`';
  throw carrelError('INVALID_INPUT', { what: 'the request', found: 'no text', expected });
}

function formatStory(story: Story): string[] {
  if (typeof story === 'string') return [story];
  const { title = '', description = '', acceptanceCriteria = [], ...others } = story;
  return [
    title,
    description,
    acceptanceCriteria.length === 0 ? '' : formatList('Acceptance criteria', acceptanceCriteria),
    ...Object.entries(others).map(([name, value]) => formatField(name, value)),
  ];
}

/** Unknown fields are passed on unchanged. */
function formatField(name: string, value: unknown): string {
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return formatList(name, value);
  return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

const formatList = (title: string, items: readonly string[]): string =>
  [`${title}:`, ...items.map(item => `- ${item}`)].join('\n');
