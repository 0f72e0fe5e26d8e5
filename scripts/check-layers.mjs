// Fails when a file imports from a level that layers.json does not put below its own, when a process is started
// outside exec/, or when anyone but the composition root knows a concrete backend.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

const rules = JSON.parse(readFileSync('layers.json', 'utf8'));
const importPattern = /(?:from|import)\s*\(?\s*'([^']+)'/g;

const problems = sourceFiles('src').flatMap(file =>
  [...imports(file)].flatMap(target => judge(file, target)),
);
for (const problem of problems) console.error(problem);
console.error(problems.length === 0 ? 'layers: in order' : `layers: ${problems.length} problem(s)`);
process.exitCode = problems.length === 0 ? 0 : 1;

function sourceFiles(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(
      entry => entry.isFile() && entry.name.endsWith('.ts') && !/\.(test|thorough)\.ts$/.test(entry.name),
    )
    .map(entry => relative('src', join(entry.parentPath, entry.name)));
}

function* imports(file) {
  for (const [, specifier] of readFileSync(join('src', file), 'utf8').matchAll(importPattern)) {
    yield specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
  }
}

function judge(file, target) {
  if (target === 'node:child_process') {
    return rules.processStarters.includes(folderOf(file)) ? [] : [`${file}: only exec/ starts processes`];
  }
  if (target.startsWith('node:') || !target.endsWith('.js')) return [];
  return [...judgeLevel(file, target), ...judgeBackend(file, target)];
}

function judgeLevel(file, target) {
  const from = levelOf(file);
  const to = levelOf(target);
  if (from === undefined) return [`${file}: its folder is not listed in layers.json`];
  if (to === undefined) return [`${file}: imports ${target}, whose folder is not listed in layers.json`];
  if (folderOf(file) === folderOf(target) || to < from) return [];
  return [`${file}: may not import ${target} (level ${from} to level ${to})`];
}

function judgeBackend(file, target) {
  const { folders, importers } = rules.concreteBackends;
  const backend = folders.find(folder => target.startsWith(`${folder}/`));
  const allowed = !backend || file.startsWith(`${backend}/`) || importers.includes(file);
  return allowed ? [] : [`${file}: only ${importers.join(', ')} may know ${backend}`];
}

function folderOf(path) {
  const [first] = path.split('/');
  return first === path ? path.replace(/\.js$/, '.ts') : first;
}

function levelOf(path) {
  const level = rules.levels.findIndex(names => names.includes(folderOf(path)));
  return level === -1 ? undefined : level;
}
