import { TOKENIZER } from './tokenizer-program.js';
import { TYPE_ERASER } from './type-eraser-program.js';
import { TYPE_SKIPPER } from './type-skipper-program.js';

/**
 * What lets Node run TypeScript without a compiler, by file name: `node --import ./tools/typescript.mjs`. It is in every
 * TypeScript task, so that agents can run what they write, and once more among the hidden files.
 */
export const TYPESCRIPT_TOOLS: Readonly<Record<string, string>> = {
  'typescript.mjs': `
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
`.trimStart(),
  'hooks.mjs': `
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eraseTypes } from './erase-types.mjs';

/** An import of ./x.js means ./x.ts when only that is there, as for the TypeScript compiler. */
export function resolve(specifier, context, next) {
  if (/^\\.{1,2}\\/.*\\.js$/.test(specifier) && context.parentURL) {
    const source = new URL(specifier.replace(/\\.js$/, '.ts'), context.parentURL);
    if (existsSync(source) && !existsSync(new URL(specifier, context.parentURL)))
      return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const source = eraseTypes(readFileSync(fileURLToPath(url), 'utf8'));
  return { format: 'module', source, shortCircuit: true };
}
`.trimStart(),
  'erase-types.mjs': TYPE_ERASER,
  'skip-types.mjs': TYPE_SKIPPER,
  'tokenize.mjs': TOKENIZER,
};
