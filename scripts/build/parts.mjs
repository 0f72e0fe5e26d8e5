// The bundle: the command line and the library, once. It is one file, so that the compiled code of the command line can
// be kept in one piece (src/surfaces/cli/startup/start.ts). The code of a part runs when the part is called.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { transformSync } from 'rolldown/utils';
import * as zod from 'zod';
import { bundle, maps, minify, source } from './bundle.mjs';
import { keepLines } from './source-map.mjs';

const PARTS = {
  cli: 'surfaces/cli/main.ts',
  index: 'index.ts',
  advanced: 'advanced.ts',
  contracts: 'testing/contracts.ts',
  // For scripts/docs.
  server: 'surfaces/http/serve.ts',
};

/** Writes it into `directory` and gives the name of the file. */
export async function bundleParts(directory) {
  const nativeTarget = source('store/sqlite/native-target.ts');
  const [{ code, map }] = await bundle(
    {
      input: 'carrel:parts',
      // Of libsql only the native library stays outside.
      external: [/^@libsql\//, 'pg-boss', 'vitest'],
      plugins: [modulesOfTheBuild, importOutside, oneLocale],
      resolve: { alias: { '@neon-rs/load': nativeTarget, 'detect-libc': nativeTarget } },
      // The library imports the schemas of all operations at once; for the command line each is a separate part.
      checks: { ineffectiveDynamicImport: false },
    },
    // As if it were in the directory, for the paths of the map.
    { dir: directory, format: 'cjs', codeSplitting: false, minify, ...maps },
    { write: false },
  );
  const text = toAscii(`${HEAD}\n${withoutLink(code)}\n${TAIL}\n`);
  const name = `carrel-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.cjs`;
  writeFileSync(`${directory}/${name}`, `${text}//# sourceMappingURL=${name}.map\n`);
  writeFileSync(`${directory}/${name}.map`, keepLines(map, { linesBefore: 1, shift: asciiShift(code) }));
  return name;
}

/**
 * The value of the script for the command line, and the module for the library (`Bundle` in src/bundle/outside.ts). V8
 * compiles a function in parentheses at once; without them it would parse the whole file twice.
 */
const HEAD =
  '(bundle=>typeof module=="object"?module.exports=bundle:bundle)((function(require,__filename,__dirname){"use strict";const module={exports:{}};';
const TAIL = 'return module.exports}))';

/** Our sources, and the package that adds a method to its classes and passes it on to us. */
const USERS_OF_ZOD = new RegExp(`^${source('.')}/|/@hono/zod-openapi/`);

const modulesOfTheBuild = {
  name: 'modules-of-the-build',
  resolveId(id, importer) {
    if (id === 'zod' && USERS_OF_ZOD.test(importer)) return 'carrel:either-zod';
    if (id === 'carrel:zod') return { id, external: true };
    return id.startsWith('carrel:') && id !== 'carrel:import' ? id : undefined;
  },
  load(id) {
    if (id === 'carrel:parts') return { code: writeParts(), moduleType: 'js' };
    // Not with an import, which would run the copy in every case.
    if (id === 'carrel:either-zod')
      return 'exports.z = require("carrel:zod") ?? { ...require("carrel:own-zod") };';
    return id === 'carrel:own-zod' ? `export { ${namesOfZod().join(', ')} } from 'zod';` : undefined;
  },
};

function writeParts() {
  const parts = Object.entries(PARTS).map(
    ([name, path]) => `${name}: () => require(${JSON.stringify(source(path))})`,
  );
  return `module.exports = { ${parts.join(', ')} };`;
}

/** What our sources use of it, without what they only use in types: the rest is left out. */
function namesOfZod() {
  const files = readdirSync('src', { recursive: true }).filter(file => file.endsWith('.ts'));
  const texts = files.map(file => readFileSync(source(file), 'utf8')).filter(text => IMPORTS_ZOD.test(text));
  const used = texts.flatMap(text => [...transformSync('x.ts', text).code.matchAll(/\bz\.(\w+)/g)]);
  // The class that gets the method.
  const names = new Set(['ZodType', ...used.map(([, name]) => name)]);
  return Object.keys(zod.z).filter(name => names.has(name));
}

const IMPORTS_ZOD = /\bz\b.* from '(?:@hono\/zod-openapi|zod)'/;

/** A script can import no module of the user's (with the option for it, Node 20 prints a warning): src/bundle/outside.ts does it. */
const importOutside = {
  name: 'import-outside',
  resolveId: id => (id.endsWith('/import-module.js') ? { id: 'carrel:import', external: true } : undefined),
};

/** The server's packages take zod as a whole, with its messages in fifty languages. Ours are English. */
const oneLocale = {
  name: 'one-locale',
  load: id =>
    /\/zod\/v4\/locales\/index\.js$/.test(id) ? 'export { default as en } from "./en.js";' : undefined,
};

/** It names the wrong file. */
function withoutLink(code) {
  return code.replace(/\/\/# sourceMappingURL=.*\s*$/, '');
}

/** One character beyond ASCII would make V8 keep the whole file with two bytes for each. */
function toAscii(code) {
  return code.replaceAll(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Where toAscii moves the columns of a line; to be asked from left to right. */
function asciiShift(code) {
  const lines = code.split('\n');
  return number => {
    const line = lines[number] ?? '';
    let seen = 0;
    let added = 0;
    return column => {
      for (; seen < column; seen++) if (line.charCodeAt(seen) > 0x7f) added += '\\uffff'.length - 1;
      return column + added;
    };
  };
}
