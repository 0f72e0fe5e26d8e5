import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Program } from '../../escape/harness/program.js';

/** The words that run a program; `perl` is what starts perl. */
export function programWords(
  { language, text, args }: Program,
  perl: readonly string[] = ['perl'],
): string[] {
  return language === 'perl' ? [...perl, '-e', text, ...args] : ['sh', '-c', text, 'sh', ...args];
}

/**
 * Puts the machine's perl with its libraries into a directory, as an agent would bring its own tools: the image that
 * Carrel makes has none. Gives the words that start it from there.
 */
export function bringPerl(directory: string): string[] {
  mkdirSync(directory);
  const program = execFileSync('sh', ['-c', 'command -v perl'], { encoding: 'utf8' }).trim();
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const file of [program, ...libraries]) copyFileSync(file, join(directory, basename(file)));
  const loader = libraries.find(file => basename(file).startsWith('ld-')) as string;
  return [join(directory, basename(loader)), '--library-path', directory, join(directory, 'perl')];
}
