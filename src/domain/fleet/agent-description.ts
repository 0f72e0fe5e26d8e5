import { z } from 'zod';
import { PRESET_NAMES } from '../agent/agent.js';
import { BlobHashSchema } from './blob-hash.js';

/** A file that the agent consists of: its name, without a directory, and its bytes. */
const AgentFileSchema = z.strictObject({
  name: z.string().regex(/^(?!\.{1,2}$)[^/\0\r\n]{1,200}$/, 'a file name'),
  hash: BlobHashSchema,
});

const ProgramSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('preset'),
    preset: z.enum(PRESET_NAMES),
    model: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('command'),
    command: z.union([z.string(), z.array(z.string())]),
    prompt: z.enum(['argument', 'stdin', 'file']),
  }),
]);

/** The settings of a program, without the values of secrets. */
export const AgentSettingsSchema = z.strictObject({
  name: z.string(),
  program: ProgramSchema,
  arguments: z.array(z.string()),
  instructions: z.string().nullable(),
  environment: z.record(z.string(), z.string()),
  passEnvironment: z.array(z.string()),
  hosts: z.array(z.string()),
  files: z.record(z.string(), z.string()),
  result: z.enum(['text', 'json', ...PRESET_NAMES]),
});

export const AgentNeedsSchema = z.strictObject({
  programs: z.array(z.string()).describe('programs that a worker must have on PATH'),
  hosts: z.array(z.string()).describe('hosts that it must reach from a sandbox'),
  keys: z.array(z.string()).describe('names of variables that a worker must have; values never travel'),
});

const common = {
  name: z.string().describe('as it was requested on the machine of the submitter'),
  fingerprint: z.string().describe('what its results depend on, as the submitter has it'),
  version: z.string().nullable().describe('of its program, on the machine of the submitter'),
  needs: AgentNeedsSchema,
};

/** An agent that any machine can open: what it is, its files by hash, and what it needs. */
export const AgentDescriptionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('oracle'), ...common }),
  z.strictObject({ kind: z.literal('nop'), ...common }),
  z.strictObject({
    kind: z.literal('program'),
    ...common,
    settings: AgentSettingsSchema,
    model: z.string().nullable(),
    reads: z.enum(['plain', 'as-set']),
    secrets: z.array(z.string()).describe('variables of its settings whose values did not travel'),
    file: AgentFileSchema.nullable().describe('the program itself, when it was given by its path'),
  }),
  z.strictObject({
    kind: z.literal('module'),
    ...common,
    model: z.string().nullable(),
    file: AgentFileSchema,
  }),
]);
export type AgentDescription = Readonly<z.infer<typeof AgentDescriptionSchema>>;
