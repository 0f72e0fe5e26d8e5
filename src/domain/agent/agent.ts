import { z } from 'zod';
import { EnvironmentSchema, VariableNameSchema } from '../sandbox/container.js';
import { AllowedHostSchema } from '../sandbox/sandbox.js';

/** The agents that Carrel knows how to call. */
export const PRESET_NAMES = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'qwen',
  'aider',
  'copilot',
  'amp',
] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

const PromptWaySchema = z.enum(['argument', 'stdin', 'file']);
export type PromptWay = z.infer<typeof PromptWaySchema>;

/** Relative to the directory for the agent's files; nothing is written to the working tree. */
const PlacedPathSchema = z
  .string()
  .regex(
    /^(?!.*(^|\/)\.{1,2}(\/|$))[^/\0\r\n]+(\/[^/\0\r\n]+)*$/,
    'a relative path without "..", such as "settings.json"',
  );

export const AgentNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'the name of an agent: letters, digits, "_" and "-"');

/** Passed as a separate argument, and must not look like an option. */
const ModelNameSchema = z
  .string()
  .regex(/^[^-\s\p{Cc}][^\p{Cc}]*$/u, 'the name of a model, which does not start with "-"');

const PositiveSchema = z.number().positive();

/** The limits at which a task is stopped. */
export const TaskLimitsSchema = z.strictObject({
  tokens: z.int().positive().optional().describe('maximum number of tokens, input and output together'),
  costUsd: PositiveSchema.optional().describe('maximum cost in US dollars, as reported by the agents'),
});
export type TaskLimits = Readonly<z.infer<typeof TaskLimitsSchema>>;

/** A command with a prompt: an entry of `agents`, or the front matter of `.carrel/agents/NAME.md`. */
export const AgentSchema = z
  .strictObject({
    description: z.string().optional().describe('what the agent is for'),
    preset: z
      .enum(PRESET_NAMES)
      .optional()
      .describe(`an agent that Carrel knows how to call: ${PRESET_NAMES.join(', ')}`),
    command: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)], 'text for the shell, or a list of words')
      .optional()
      .describe('a command instead of a preset: text for the shell, or a list of program and arguments'),
    model: ModelNameSchema.optional().describe('the model for a preset'),
    arguments: z.array(z.string()).optional().describe('additional arguments of the program'),
    prompt: PromptWaySchema.optional().describe(
      'how a command gets its prompt: stdin (the default), argument (the last one) or file ($CARREL_PROMPT_FILE)',
    ),
    instructions: z.string().optional().describe('text at the start of every prompt of this agent'),
    environment: EnvironmentSchema.optional().describe("variables for the agent; in the user's file only"),
    passEnvironment: z
      .array(VariableNameSchema)
      .optional()
      .describe("your variables that the agent gets inside a sandbox; in the user's file only"),
    hosts: z
      .array(AllowedHostSchema)
      .optional()
      .describe("hosts that `allowlist` permits for the agent; in the user's file only"),
    files: z
      .record(PlacedPathSchema, z.string())
      .optional()
      .describe('files for the agent in $CARREL_FILES_DIR, outside the working tree, by path'),
    result: z
      .enum(['text', 'json', ...PRESET_NAMES])
      .optional()
      .describe(
        'format of its output: text, json (lines or a document with usage), or the format of a preset',
      ),
  })
  .refine(({ preset, command }) => preset === undefined || command === undefined, {
    path: ['command'],
    error: 'either a preset or a command',
  })
  .meta({ id: 'agent', title: 'Agent' });
