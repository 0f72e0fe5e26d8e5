import type { Dataset } from '../dataset.js';
import { firstSteps } from './first-steps.js';
import { javascriptTasks } from './javascript-tasks.js';
import { pythonTasks } from './python-tasks.js';
import { shellTasks } from './shell-tasks.js';
import { typescriptClassTasks } from './typescript-class-tasks.js';
import { typescriptTasks } from './typescript-tasks.js';

/** The built-in dataset: small real problems that need only node, python3 and sh, and no network. */
export const golden: Dataset = {
  name: 'golden',
  format: 'golden',
  items: [
    ...firstSteps,
    ...typescriptTasks,
    ...typescriptClassTasks,
    ...javascriptTasks,
    ...pythonTasks,
    ...shellTasks,
  ],
  broken: [],
};
