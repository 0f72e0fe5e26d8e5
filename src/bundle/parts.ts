// Becomes dist/parts.js: the entries of the library (dist/index.js, dist/advanced.js, dist/contracts.js) take their names from it.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type Bundle, requireFrom } from './outside.js';

/** The file's name. The build puts it here. */
declare const BUNDLE: string;

// One zod for both: schemas of the library can be part of the program's own.
const given = new Map<string, unknown>([['carrel:zod', z]]);
const require = createRequire(import.meta.url);
const filename = require.resolve(`./${BUNDLE}`);
const surroundings = { given, rarelyUsed: new Set<string>() };
const parts = (require(filename) as Bundle)(requireFrom(filename, surroundings), filename, dirname(filename));

/** Runs the code of a part, once, and returns its exports. */
export const loadPart = (name: string): unknown => parts[name]?.();

/** A module that a part needs and can't load itself. */
export const give = (id: string, module: unknown): void => {
  given.set(id, module);
};
