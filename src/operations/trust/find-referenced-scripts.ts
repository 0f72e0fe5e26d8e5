import { posix } from 'node:path';

/** A file that the text of another one may run: only if it is executable, where the text does not say that it is run. */
export interface RunPath {
  readonly path: string;
  readonly isRun: boolean;
}

/**
 * The paths that a script, a Makefile or a module runs: `./x`, `sh x`, `. x`, `"$here/x"`, `import './x'`. Any other word counts if the
 * tree has an executable file of that name. Paths are tried from the top of the tree, where commands start, and from the file's
 * directory. A name that is built at run time is not found. In package.json: the scripts that the command names, and those that they name.
 */
export function listRunByFile(path: string, text: string, command: string): RunPath[] {
  const directory = posix.dirname(path);
  const found = new Map<string, boolean>();
  const run = posix.basename(path) === 'package.json' ? findPackageScripts(text, command) : text;
  for (const line of run.split('\n').slice(0, MOST_LINES)) {
    if (/^\s*(#|\/\/|\*)/.test(line)) continue;
    for (const form of new Set([line, withoutVariables(line)])) {
      const words = form.split(/[\s;|&<>()'"`$=,:{}[\]@]+/).filter(Boolean);
      for (const [at, word] of words.entries()) {
        const isRun = isRunHere(word, words[at - 1]);
        for (const candidate of listForms(word, words[at - 1], directory))
          found.set(candidate, isRun || (found.get(candidate) ?? false));
      }
    }
  }
  return [...found].slice(0, MOST_PATHS).map(([each, isRun]) => ({ path: each, isRun }));
}

/** `build` has `prebuild` and `postbuild` run as well. */
function findPackageScripts(text: string, command: string): string {
  const scripts = Object.entries(parseScripts(text)).filter(each => typeof each[1] === 'string');
  const run = new Map<string, string>();
  let named = command;
  for (let before = -1; before !== run.size; ) {
    before = run.size;
    const words = new Set(named.split(/[\s;|&<>()'"`]+/));
    for (const [name, script] of scripts)
      if (words.has(name) || words.has(name.replace(/^(pre|post)/, ''))) run.set(name, String(script));
    named = [command, ...run.values()].join('\n');
  }
  return [...run.values()].join('\n');
}

function parseScripts(text: string): object {
  try {
    return Object(JSON.parse(text)?.scripts);
  } catch {
    return {};
  }
}

/** Of `$here/lib.sh` and `$(dirname "$0")/lib.sh` the end is left, `/lib.sh`. */
const withoutVariables = (line: string): string => line.replaceAll(/\$(\w+|\{[^}]*\}|\([^()]*\))/g, '');

/** More than any readable script has; paths become arguments of one command. */
const MOST_LINES = 5_000;
const MOST_PATHS = 2_000;

const RUNNERS =
  /^(\.|source|exec|env|sudo|include|-include|import|from|require|require_relative|load|(ba|da|z|k)?sh|node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|pwsh|Rscript|julia|lua|awk|-f)$/;
const SCRIPTS = /\.(sh|bash|zsh|fish|mk|[cm]?[jt]s|py|rb|pl|php|ps1|lua|awk)$/i;

const isRunHere = (word: string, before: string | undefined): boolean =>
  SCRIPTS.test(word) || /^\.{1,2}\//.test(word) || (before !== undefined && RUNNERS.test(before));

/** What modules are written without. */
const ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.json', '/index.js', '/index.ts', '.py', '.rb'];

function listForms(word: string, before: string | undefined, directory: string): string[] {
  // What was below a variable; anything else that is absolute is not in the tree.
  const name = word.replace(/^\/+/, '');
  if (name === '' || name.startsWith('-')) return [];
  const isModule = /^(import|from|require|require_relative)$/.test(before ?? '');
  const dotted = isModule && /^[\w.]+$/.test(name) ? [name.replaceAll('.', '/')] : [];
  const whole = [name, ...dotted];
  const named = isModule ? [...whole, ...whole.flatMap(each => ENDINGS.map(ending => each + ending))] : whole;
  const places = named.flatMap(each => [posix.normalize(each), posix.join(directory, each)]);
  return [...new Set(places)].filter(place => place !== '.' && !/^(\.\.(\/|$)|\/)/.test(place));
}
