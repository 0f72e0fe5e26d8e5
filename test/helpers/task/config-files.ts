import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempDir } from '../temp.js';

export interface ConfigTexts {
  readonly repository?: string;
  readonly user?: string;
}

/** A repository and a user's file with these texts; what is left out is not there. */
export function writeConfigFiles(texts: ConfigTexts) {
  const root = tempDir();
  const repositoryRoot = join(root, 'repository');
  const userFile = join(root, 'home', 'config.yaml');
  const repositoryFile = join(repositoryRoot, '.carrel', 'config.yaml');
  mkdirSync(repositoryRoot);
  if (texts.repository !== undefined) writeFile(repositoryFile, texts.repository);
  if (texts.user !== undefined) writeFile(userFile, texts.user);
  return { root, repositoryRoot, userFile, repositoryFile };
}

/** Makes the directories on the way. */
export function writeFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
