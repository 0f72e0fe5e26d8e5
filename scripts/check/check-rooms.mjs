// Fails when a folder of src/ holds more than 15 source files, when one of three or more has no README.md, or when such
// a page, a comment or ARCHITECTURE.md names a source file that does not exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sourceFiles } from './import-graph.mjs';

const MOST_FILES = 15;
const LEAST_FILES = 3;

const rooms = groupByFolder(sourceFiles());
const paths = listAll('.').map(file => `/${file}`);
const problems = [
  ...[...rooms].flatMap(([room, files]) => checkRoom(room, files.length)),
  ...listAll('src').flatMap(checkMentions),
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'GLOSSARY.md'].flatMap(checkMentions),
];
for (const problem of problems) console.error(problem);
console.error(problems.length === 0 ? 'rooms: in order' : `rooms: ${problems.length} to fix`);
process.exitCode = problems.length === 0 ? 0 : 1;

function checkRoom(room, count) {
  if (count > MOST_FILES) return [`${room}: ${count} source files; at most ${MOST_FILES}`];
  if (count < LEAST_FILES || room === 'src' || existsSync(join(room, 'README.md'))) return [];
  return [`${room}: has no README.md that says what it holds and what it may touch`];
}

/** Source files that a page or a comment names. */
function checkMentions(file) {
  const text = readFileSync(file, 'utf8');
  const prose = file.endsWith('.md') ? [text] : (text.match(/^\s*(\/\/|\/?\*).*$|\/\/ .*$/gm) ?? []);
  return prose
    .flatMap(part => [...part.matchAll(/(?<![\w.*>-])[\w/-]+\.tsx?\b/g)].map(([name]) => name))
    .filter(name => !/^(\w|[A-Z]+)\.ts$/.test(basename(name)))
    .filter(name => !paths.some(path => path.endsWith(`/${name.replace(/^[./]+/, '')}`)))
    .map(name => `${file}: names ${name}, which does not exist`);
}

function listAll(root) {
  const folders = root === '.' ? ['src', 'test', 'bench', 'scripts', 'dashboard/src'] : [root];
  return folders.flatMap(folder =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && /\.(ts|tsx|md|mjs)$/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name)),
  );
}

function groupByFolder(files) {
  const found = new Map();
  for (const file of files) found.set(dirname(file), [...(found.get(dirname(file)) ?? []), file]);
  return found;
}
