import { entry, formatList } from './catalog-entry.js';

/** Errors of backends that users provide. */
export const backendErrors = {
  UNKNOWN_BACKEND: entry<{ name: string; known: readonly string[] }>({
    kind: 'config',
    summary: 'No backend with that name is registered, and the name is not the path of a module.',
    message: d => `there is no backend ${JSON.stringify(d.name)}; known: ${formatList(d.known)}`,
    hint: () =>
      'name a module in workspace.backend, such as ./my-backend.mjs, or register it with createCarrel({ backends })',
  }),
  BACKEND_UNAVAILABLE: entry<{ backend: string; problem: string }>({
    kind: 'environment',
    summary:
      'The backend of a workspace or snapshot cannot be loaded: its module is missing or broken, or no program has registered it. Nothing is removed without it.',
    message: d => `the backend ${d.backend} cannot be used: ${d.problem}`,
    hint: d =>
      d.backend.includes('/')
        ? 'put a working module there; until then the workspace and its snapshots stay as they are'
        : `use a program that registers it with createCarrel({ backends: { ${JSON.stringify(d.backend)}: … } })`,
  }),
  BACKEND_NOT_TRUSTED: entry<{ backend: string; repository: string }>({
    kind: 'conflict',
    summary:
      'The repository provides a backend that the user has not approved in its current form. It would run on this machine.',
    message: d =>
      `${d.repository} wants to run the backend ${d.backend}, which you have not approved in its current form`,
    hint: () => 'read the module, then approve it in the repository with: carrel trust',
  }),
  BACKEND_FAILED: entry<{ backend: string; call: string; problem: string }>({
    kind: 'environment',
    summary:
      'A custom backend threw an error or broke its contract. Carrel did nothing more with the workspace.',
    message: d => `the backend ${d.backend} failed in ${d.call}: ${d.problem}`,
    hint: () => 'fix the module, and test it with backendContract of carrel/testing',
  }),
} as const;
