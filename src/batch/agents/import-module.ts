/** In a file of its own because the command line has it otherwise: see scripts/build.mjs. */
export const importModule = (url: string): Promise<{ readonly default?: unknown }> => import(url);
