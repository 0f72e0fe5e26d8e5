import { entry } from './entry.js';

export const integrationErrors = {
  INSTALL_REFUSED: entry<{ file: string; problem: string }>({
    kind: 'conflict',
    summary: 'The configuration file of an agent can not be edited without a risk to what else is in it.',
    message: d => `${d.file} was left as it is: ${d.problem}`,
    hint: () => 'run the command without --write or --remove to see what belongs in it, and edit it yourself',
  }),
} as const;
