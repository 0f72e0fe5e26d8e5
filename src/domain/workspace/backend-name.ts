/** The backends that Carrel has itself. */
export const BUILT_IN_BACKENDS = ['git', 'direct', 'directory', 'jj', 'overlay'] as const;
export type BuiltInBackendName = (typeof BUILT_IN_BACKENDS)[number];

/** Whether a user provides the backend: the absolute path of a module, or a name that a program registered. */
export const isCustomBackend = (name: string): boolean =>
  !(BUILT_IN_BACKENDS as readonly string[]).includes(name);

/** Whether a backend is named by the path of its module. */
export const isModulePath = (name: string): boolean => name.includes('/');
