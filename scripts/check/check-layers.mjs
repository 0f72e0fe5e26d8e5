// Fails when a file imports from a level that layers.json does not put below its own, when a process is started
// outside exec/, when a file other than the composition root imports a concrete backend, or when files import values
// from each other in a circle.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { findCycles, readImports, sourceFiles } from './import-graph.mjs';

const rules = JSON.parse(readFileSync('layers.json', 'utf8'));
const importPattern = /(?:from|import)\s*\(?\s*'([^']+)'/g;

const files = sourceFiles();
const problems = [
  ...files
    .map(file => relative('src', file))
    .flatMap(file => [...imports(file)].flatMap(target => checkImport(file, target))),
  ...findCycles(readImports(files)).map(
    group => `these files import each other in a circle: ${group.join(', ')}`,
  ),
];
for (const problem of problems) console.error(problem);
console.error(problems.length === 0 ? 'layers: in order' : `layers: ${problems.length} to fix`);
process.exitCode = problems.length === 0 ? 0 : 1;

function* imports(file) {
  for (const [, specifier] of readFileSync(join('src', file), 'utf8').matchAll(importPattern)) {
    yield specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
  }
}

function checkImport(file, target) {
  if (target === 'node:child_process') {
    return rules.processStarters.includes(folderOf(file)) ? [] : [`${file}: only exec/ starts processes`];
  }
  if (target.startsWith('node:') || !target.endsWith('.js')) return [];
  return [...checkLevel(file, target), ...checkBackend(file, target)];
}

function checkLevel(file, target) {
  const from = levelOf(file);
  const to = levelOf(target);
  if (from === undefined) return [`${file}: its folder is not listed in layers.json`];
  if (to === undefined) return [`${file}: imports ${target}, whose folder is not listed in layers.json`];
  if (folderOf(file) === folderOf(target) || to < from) return [];
  return [`${file}: may not import ${target} (level ${from} to level ${to})`];
}

function checkBackend(file, target) {
  const { folders, importers } = rules.concreteBackends;
  const backend = folders.find(folder => target.startsWith(`${folder}/`));
  const allowed = !backend || file.startsWith(`${backend}/`) || importers.includes(file);
  return allowed ? [] : [`${file}: only ${importers.join(', ')} may know ${backend}`];
}

/** The longest part of the path that layers.json lists, such as `git` or `surfaces/cli`. */
function folderOf(path) {
  const source = path.replace(/\.js$/, '.ts');
  return rules.levels.flat().find(name => source === name || source.startsWith(`${name}/`));
}

function levelOf(path) {
  const level = rules.levels.findIndex(names => names.includes(folderOf(path)));
  return level === -1 ? undefined : level;
}
