import { usePrograms } from '../machine/programs.js';

/** Programs that work on tasks of one store, with `open` (an app for the environment that is their first argument) in scope. */
export const useTaskPrograms = () =>
  usePrograms({
    modules: {
      app: 'src/app.ts',
      'take-turn': 'src/task/queue/take-turn.ts',
      'sweep-tasks': 'src/task/recovery/recover-tasks.ts',
      'workspace-environment': 'src/operations/command/workspace-environment.ts',
    },
    imports: `import { openApp } from './app.js';
import { takeTurn } from './take-turn.js';
import { recoverTasks } from './sweep-tasks.js';
import { openEnvironment } from './workspace-environment.js';
const open = () => openApp({
  environment: JSON.parse(process.argv[2]), cwd: '/', recovers: false, narrate: line => print('told ' + line),
});`,
  });
