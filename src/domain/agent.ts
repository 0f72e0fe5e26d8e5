import { z } from 'zod';
import { EnvironmentSchema, VariableNameSchema } from './container.js';
import { AllowedHostSchema } from './sandbox.js';

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

/** Below the directory that is made for the agent's files; nothing is placed in the working tree. */
const PlacedPathSchema = z
  .string()
  .regex(
    /^(?!.*(^|\/)\.{1,2}(\/|$))[^/\0\r\n]+(\/[^/\0\r\n]+)*$/,
    'a relative path without "..", such as "settings.json"',
  );

export const AgentNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'the name of an agent: letters, digits, "_" and "-"');

/** It becomes an argument of its own, and must not be taken for an option. */
const ModelNameSchema = z
  .string()
  .regex(/^[^-\s\p{Cc}][^\p{Cc}]*$/u, 'the name of a model, which does not begin with "-"');

const PositiveSchema = z.number().positive();

/** Where a task has to end before it is done. */
export const TaskLimitsSchema = z.strictObject({
  tokens: z.int().positive().optional().describe('most tokens, read and written together'),
  costUsd: PositiveSchema.optional().describe('most US dollars, as far as agents tell their cost'),
});
export type TaskLimits = Readonly<z.infer<typeof TaskLimitsSchema>>;

/** A command with a prompt: an entry of `agents`, or the front matter of `.carrel/agents/NAME.md`. */
export const AgentSchema = z
  .strictObject({
    description: z.string().optional().describe('what it is for, for people'),
    preset: z
      .enum(PRESET_NAMES)
      .optional()
      .describe(`an agent that Carrel knows how to call: ${PRESET_NAMES.join(', ')}`),
    command: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)], 'text for the shell, or a list of words')
      .optional()
      .describe('any command instead: text for the shell, or a list of program and arguments'),
    model: ModelNameSchema.optional().describe('the model that a preset is told to use'),
    arguments: z.array(z.string()).optional().describe('further arguments of the program'),
    prompt: PromptWaySchema.optional().describe(
      'how a command gets its prompt: stdin (the default), argument (the last one) or file ($CARREL_PROMPT_FILE)',
    ),
    instructions: z.string().optional().describe('what every prompt of this agent begins with'),
    environment: EnvironmentSchema.optional().describe("variables for it; in the user's file only"),
    passEnvironment: z
      .array(VariableNameSchema)
      .optional()
      .describe("variables of yours that it is given inside a sandbox; in the user's file only"),
    hosts: z
      .array(AllowedHostSchema)
      .optional()
      .describe("hosts that `allowlist` lets through for it; in the user's file only"),
    files: z
      .record(PlacedPathSchema, z.string())
      .optional()
      .describe('files that are placed for it in $CARREL_FILES_DIR, outside of the working tree, by path'),
    result: z
      .enum(['text', 'json', ...PRESET_NAMES])
      .optional()
      .describe(
        'how to read what it prints: text, json (lines or a document with usage), or as a preset prints',
      ),
  })
  .refine(({ preset, command }) => preset === undefined || command === undefined, {
    path: ['command'],
    error: 'either a preset or a command',
  })
  .meta({ id: 'agent', title: 'Agent' });
