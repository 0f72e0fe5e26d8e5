import { join } from 'node:path';
import { type KnownAgents, loadAgents } from '../../../src/config/agents/load-agents.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { type ConfigTexts, writeConfigFiles, writeFile } from './config-files.js';

export interface DefinitionTexts extends ConfigTexts {
  /** By path below `.carrel`, such as `agents/developer.md`. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A repository with definitions, loaded as a task would load them. */
export async function loadDefinitions({ files = {}, ...texts }: DefinitionTexts) {
  const places = writeConfigFiles(texts);
  const { repositoryRoot, userFile } = places;
  for (const [path, text] of Object.entries(files)) writeFile(join(repositoryRoot, '.carrel', path), text);
  const loaded = await loadConfig({ repositoryRoot, userFile });
  const known: KnownAgents = await loadAgents({ repositoryRoot, userFile, loaded });
  return { ...places, loaded, known };
}
