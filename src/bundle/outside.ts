import { createRequire } from 'node:module';

/** The bundle, a function. It returns its parts; the code of a part runs when the part is called. */
export type Bundle = (require: Require, filename: string, directory: string) => Parts;
export type Parts = Readonly<Record<string, () => unknown>>;
type Require = (id: string) => unknown;

export interface Surroundings {
  /** Modules that only the program around the bundle can load, by name. */
  readonly given: ReadonlyMap<string, unknown>;
  /** Node's own modules that are loaded on first use instead of at the start. */
  readonly rarelyUsed: ReadonlySet<string>;
}

/** What the bundle in `file` gets when it requires a module that is not part of it. */
export function requireFrom(file: string, { given, rarelyUsed }: Surroundings): Require {
  const own = createRequire(file);
  return id => {
    if (rarelyUsed.has(id)) return whenUsed(() => own(id));
    if (id === 'carrel:import') return { importModule: (url: string) => import(url) };
    // The program's own zod; the bundle has a copy for the command line.
    if (id === 'carrel:zod') return given.get(id);
    // Only the contract suites use it, and their entry gives it before they run.
    if (id === 'vitest') return whenUsed(() => given.get(id));
    return id.startsWith('@libsql/') ? requireNative(own, id) : own(id);
  };
}

function whenUsed(load: () => unknown): object {
  return new Proxy({}, { get: (_, name) => (load() as Record<string | symbol, unknown>)[name] });
}

/** The native library is a dependency of libsql, and some package managers make it visible only to libsql. */
function requireNative(own: NodeJS.Require, id: string): unknown {
  try {
    return own(id);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    return createRequire(own.resolve('libsql'))(id);
  }
}
