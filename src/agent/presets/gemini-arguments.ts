import { dirname } from 'node:path';
import type { Preset } from '../preset.js';

/** What Gemini CLI takes, and Qwen Code, which is made from it. */
export const geminiArguments: Preset['arguments'] = ({ model, promptFile, further }) => [
  '--output-format',
  'stream-json',
  // Anything less takes its shell away when nobody can be asked.
  '--approval-mode',
  'yolo',
  // Its tools for files read and write nowhere else than in the working tree.
  '--include-directories',
  dirname(promptFile),
  ...(model === undefined ? [] : ['--model', model]),
  ...further,
];
