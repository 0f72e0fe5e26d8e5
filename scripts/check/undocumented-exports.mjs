import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The names that a rolled-up declaration file exports without their own comment, here or in the file that they come from. */
export function findUndocumented(file) {
  const text = readFileSync(file, 'utf8');
  const texts = [text, ...imported(file, text).map(path => readFileSync(path, 'utf8'))];
  return exportedNames(text).filter(name => !texts.some(declarations => isDocumented(declarations, name)));
}

function imported(file, text) {
  return [...text.matchAll(/from "(\.\/[^"]+)\.js"/g)]
    .map(([, path]) => join(dirname(file), `${path}.d.ts`))
    .filter(path => existsSync(path));
}

/** `export { A, type B, c as D }`: the names of the declarations. */
function exportedNames(text) {
  return [...text.matchAll(/^export \{([^}]*)\}/gm)]
    .flatMap(([, list]) => list.split(','))
    .map(item =>
      item
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*/, ''),
    )
    .filter(name => name !== '');
}

function isDocumented(text, name) {
  const words = 'function|class|interface|type|const|enum';
  return new RegExp(
    `\\*/\\s*(?:export )?(?:declare )?(?:abstract )?(?:${words}) ${name.replaceAll('$', '\\$')}\\b`,
  ).test(text);
}
