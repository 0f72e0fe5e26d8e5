/** In a separate file because the command line replaces it: see scripts/build.mjs. */
export const importModule = (url: string): Promise<{ readonly default?: unknown }> => import(url);
