// Which file of src/ imports which, for the layer check and for `npm run house`.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const sourceFiles = () =>
  readdirSync('src', { recursive: true, withFileTypes: true })
    .filter(
      entry => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|thorough)\.ts$/.test(entry.name),
    )
    .map(entry => join(entry.parentPath, entry.name));

export const readImports = files => new Map(files.map(file => [file, importsOf(file)]));

/** Files of src/ that a file imports, and whether it imports values or types alone. */
function importsOf(file) {
  const pattern = /(?:^|\n)\s*(import|export)\s+(type\s)?([^;'"]*?)from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/g;
  const found = [];
  for (const [, , typeOnly, names = '', from, lazy] of readFileSync(file, 'utf8').matchAll(pattern)) {
    const target = normalize(join(dirname(file), from ?? lazy)).replace(/\.js$/, '.ts');
    const named = /^\s*\{([^}]*)\}\s*$/
      .exec(names)?.[1]
      ?.split(',')
      .map(name => name.trim());
    const isType = typeOnly !== undefined || named?.filter(Boolean).every(name => name.startsWith('type '));
    found.push({ target, kind: lazy ? 'lazy' : isType ? 'type' : 'value' });
  }
  return found;
}

/** Groups of files that import values from each other in a circle, by Tarjan's algorithm. */
export function findCycles(imports) {
  const [index, low, onStack, stack, groups] = [new Map(), new Map(), new Set(), [], []];
  const visit = file => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    onStack.add(file);
    for (const { target, kind } of imports.get(file) ?? []) {
      if (kind !== 'value' || !imports.has(target)) continue;
      if (!index.has(target)) visit(target);
      if (onStack.has(target)) low.set(file, Math.min(low.get(file), low.get(target)));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    for (const member of group) onStack.delete(member);
    if (group.length > 1) groups.push(group);
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return groups;
}
