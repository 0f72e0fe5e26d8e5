import { z } from 'zod';
import { carrelError } from '../../domain/error/error.js';

// What Claude Code writes to the standard input of its hooks. Versions 2.1.165 and 2.1.197 send `name`, the documentation
// has had `worktree_name` and `source_ref` instead; other fields are ignored.

const CreateInputSchema = z.looseObject({
  cwd: z.string().min(1).optional(),
  name: z.string().min(1).optional(),
  worktree_name: z.string().min(1).optional(),
  source_ref: z.string().min(1).nullish(),
});

const RemoveInputSchema = z.looseObject({ worktree_path: z.string().startsWith('/') });

export interface CreateInput {
  /** The directory of the session; undefined when it is not given. */
  readonly cwd: string | undefined;
  readonly name: string | undefined;
  readonly base: string | undefined;
}

export function parseCreateInput(text: string): CreateInput {
  const { cwd, name, worktree_name, source_ref } = parse(CreateInputSchema, text, 'an object with a name');
  return { cwd, name: name ?? worktree_name, base: source_ref ?? undefined };
}

/** The absolute path of the worktree. */
export function parseRemoveInput(text: string): string {
  return parse(RemoveInputSchema, text, 'an object with an absolute worktree_path').worktree_path;
}

function parse<T>(schema: z.ZodType<T>, text: string, expected: string): T {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const found = text.length > 80 ? `${text.slice(0, 80)}...` : text;
  throw carrelError('INVALID_INPUT', {
    what: 'the input of the hook',
    found: JSON.stringify(found),
    expected: `JSON: ${expected}`,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
