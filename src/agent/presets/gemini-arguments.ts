import { dirname } from 'node:path';
import type { Preset } from '../preset.js';

/** The arguments of Gemini CLI, and of Qwen Code, which is a fork of it. */
export const geminiArguments: Preset['arguments'] = ({ model, promptFile, further }) => [
  '--output-format',
  'stream-json',
  // Anything less disables its shell in non-interactive mode.
  '--approval-mode',
  'yolo',
  // Its file tools read and write only in the working tree.
  '--include-directories',
  dirname(promptFile),
  ...(model === undefined ? [] : ['--model', model]),
  ...further,
];
