import { usePrograms } from './programs.js';

/** Programs that work on tasks of one store, with `open` (an app for the environment that is their first argument) in scope. */
export const useTaskPrograms = () =>
  usePrograms({
    modules: {
      app: 'src/app.ts',
      'take-turn': 'src/task/take-turn.ts',
      'sweep-tasks': 'src/task/sweep-tasks.ts',
      'run-command': 'src/operations/run-command.ts',
    },
    imports: `import { openApp } from './app.js';
import { takeTurn } from './take-turn.js';
import { sweepTasks } from './sweep-tasks.js';
import { runCommand } from './run-command.js';
const open = () => openApp({
  environment: JSON.parse(process.argv[2]), cwd: '/', recovers: false, narrate: line => print('told ' + line),
});`,
  });
