import { createHash } from 'node:crypto';
import type { Task } from '../../domain/task/task.js';

/** Characters of the description that a name keeps. */
const LONGEST = 32;
/** Characters of the id that distinguish tasks with the same description. */
const ID_CHARACTERS = 5;

/**
 * The name of a task's workspace: the start of its description, and the end of its id. The number of an issue comes
 * first, so that the branch has it.
 */
export function taskWorkspaceName({
  id,
  description,
  issue,
}: Pick<Task, 'id' | 'description' | 'issue'>): string {
  const text = issue ? `issue ${issue.number} ${description}` : description;
  return [slug(text) || 'task', id.slice(-ID_CHARACTERS)].join('-');
}

/** For a task whose name is taken: `name-r2` after `name`, `name-r3` after that. */
export function nextWorkspaceName(name: string): string {
  const [, stem = name, count = '1'] = /^(.*)-r(\d{1,6})$/.exec(name) ?? [];
  return `${stem}-r${Number(count) + 1}`;
}

/**
 * The name of the workspace of a parallel stage. Where parts of the stage's name are lost, a hash
 * replaces them: two stages in one workspace would overwrite each other's work.
 */
export function stageWorkspaceName(taskWorkspace: string, stage: string): string {
  const plain = slug(stage);
  const parts = plain === stage ? [plain] : [plain || 'stage', fingerprint(stage)];
  return [taskWorkspace, ...parts].join('-');
}

const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Whole words as far as they fit. */
function slug(text: string): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9\s-]/g, '')
    .split(/[\s-]+/)
    .filter(word => word !== '');
  const fitting = words.reduce((name, word) => {
    const longer = name === '' ? word : `${name}-${word}`;
    return longer.length <= LONGEST ? longer : name;
  }, '');
  return fitting || (words[0] ?? '').slice(0, LONGEST);
}
