import { resolve } from 'node:path';
import type { EvalBase } from '../../domain/batch/eval-item.js';
import type { TaskDescriptor } from '../../domain/batch/task-descriptor.js';
import { carrelError } from '../../domain/error/error.js';

/** What a task starts from. A relative path is below the working directory of the caller. */
export function baseOf({ id, base, repository, commit = 'HEAD' }: TaskDescriptor, cwd: string): EvalBase {
  if (base !== undefined) return base;
  if (repository !== undefined)
    return { kind: 'git', url: isUrl(repository) ? repository : resolve(cwd, repository), commit };
  const expected = 'the path or URL of a git repository, or a base';
  throw carrelError('INVALID_INPUT', {
    what: `the repository of the task ${id}`,
    found: 'missing',
    expected,
  });
}

/** `https://…`, `git@host:path`. */
const isUrl = (repository: string): boolean => /^([a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i.test(repository);
