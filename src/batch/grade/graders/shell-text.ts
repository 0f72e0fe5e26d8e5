/** Quotes any text as one word for `sh`. */
export const quoteForShell = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * A script that removes the file first, so that what is read there later was written by the script. The agent's changes cannot
 * have put a link in the path of a file of the working tree: see prepare-patch.ts. Outside it no directory is removed.
 */
export const writingAnew = (file: string, script: string): string =>
  `rm ${file.startsWith('/') ? '-f' : '-rf'} -- ${quoteForShell(file)}\n${script}`;
