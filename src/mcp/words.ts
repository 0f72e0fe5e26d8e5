import { z } from 'zod';

// Words that several tools have in common.

export const workspaceWord = z.string().min(1).describe('the workspace: its name or its id');

export const taskWord = z.string().min(1).describe('the task: its id');

/** An agent may ask for more isolation than is configured, never for less. */
export const sandboxWord = z
  .literal('full')
  .optional()
  .describe('full: commands run in a sandbox, or it is refused; left out, what the user has configured');
