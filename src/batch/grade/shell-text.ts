/** One word for `sh`, whatever is in it. */
export const quoteForShell = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * A script that begins without a file, so that what is read there later was written by it. The agent's changes can't
 * have put a link on the way to a file of the working tree: see prepare-patch.ts. Outside of it no directory goes.
 */
export const writingAnew = (file: string, script: string): string =>
  `rm ${file.startsWith('/') ? '-f' : '-rf'} -- ${quoteForShell(file)}\n${script}`;
