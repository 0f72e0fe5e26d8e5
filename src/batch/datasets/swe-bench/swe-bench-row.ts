import { z } from 'zod';

/** Published lists are JSON arrays or JSON text inside a string. */
const NamesSchema = z.union([z.array(z.string()), z.string()]).transform((value, context): string[] => {
  if (Array.isArray(value)) return value;
  const parsed = z.array(z.string()).safeParse(parse(value));
  if (parsed.success) return parsed.data;
  context.addIssue({ code: 'custom', message: 'expected a list of names, or one as JSON text' });
  return z.NEVER;
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const CommandsSchema = z
  .union([z.array(z.string().min(1)), z.string().min(1)])
  .transform(value => (Array.isArray(value) ? value : [value]));

/**
 * A row of SWE-bench (princeton-nlp/SWE-bench and similar datasets). Hints are not for agents. The last group are fields that
 * other datasets or users add: where the repository is, how it is set up, how its tests are run, and in which image.
 */
export const SweBenchRowSchema = z.object({
  instance_id: z.string().min(1),
  repo: z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'expected owner/name'),
  base_commit: z.string().min(1),
  problem_statement: z.string().min(1),
  patch: z.string().default(''),
  test_patch: z.string().default(''),
  FAIL_TO_PASS: NamesSchema,
  PASS_TO_PASS: NamesSchema.default([]),
  version: z.string().optional(),

  repo_url: z.string().min(1).optional(),
  repo_path: z.string().min(1).optional(),
  language: z.string().min(1).optional(),
  setup: CommandsSchema.default([]),
  test_cmd: CommandsSchema.optional(),
  docker_image: z.string().min(1).optional(),
  image_name: z.string().min(1).optional(),
  image: z.string().min(1).optional(),
});
export type SweBenchRow = z.infer<typeof SweBenchRowSchema>;
