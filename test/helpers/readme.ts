import { readFileSync } from 'node:fs';

/** The first block of code in this language that the README has. */
export function readExample(language: 'sh' | 'ts' | 'yaml'): string {
  const block = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(
    readFileSync('README.md', 'utf8'),
  );
  if (!block?.[1]) throw new Error(`the README has no example in ${language}`);
  return block[1];
}
