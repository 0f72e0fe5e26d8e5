import { entry } from './catalog-entry.js';

export const integrationErrors = {
  INSTALL_REFUSED: entry<{ file: string; problem: string }>({
    kind: 'conflict',
    summary: "An agent's configuration file cannot be edited without a risk to its other content.",
    message: d => `${d.file} was not changed: ${d.problem}`,
    hint: () => 'run the command without --write or --remove to see the entry, then edit the file yourself',
  }),
} as const;
