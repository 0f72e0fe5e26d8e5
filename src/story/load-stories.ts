import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseYaml } from '../config/files/parse-yaml.js';
import { readConfigText } from '../config/files/read-config-text.js';
import { requireValid } from '../config/files/validate-yaml.js';
import { carrelError, ignoreMissing } from '../domain/error/error.js';
import { type StoryFile, StoryFileSchema } from '../domain/story/story-file.js';
import { isRepositoryUrl } from '../domain/text/repository-url.js';

/** A story, ready to send. */
export interface LoadedStory extends StoryFile {
  /** Absolute path of its file. */
  readonly file: string;
}

/**
 * Loads stories from files, and from all YAML files in directories, except hidden ones and node_modules. Mistakes are
 * reported with line and column, as in the configuration; STORY_TWICE when two have the same name.
 */
export async function loadStories(places: readonly string[]): Promise<LoadedStory[]> {
  const files = (await Promise.all(places.map(listFiles))).flat();
  const stories = await Promise.all([...new Set(files)].map(loadStory));
  for (const { name } of stories) {
    const same = stories.filter(story => story.name === name).map(story => story.file);
    if (same.length > 1) throw carrelError('STORY_TWICE', { name, files: same });
  }
  return stories;
}

async function listFiles(place: string): Promise<string[]> {
  const stats = await stat(place).catch(ignoreMissing);
  if (!stats?.isDirectory()) return [place];
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => !relative(place, file).split(sep).some(isPassedOver))
    .sort();
}

const isPassedOver = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

async function loadStory(file: string): Promise<LoadedStory> {
  const text = await readConfigText(file);
  if (!text) throw carrelError('NO_STORIES', { place: file, problem: 'there is no such file' });
  const story = StoryFileSchema.parse(requireValid(StoryFileSchema, parseYaml(text)));
  return { ...story, repository: resolveRepository(story.repository, file), file };
}

const resolveRepository = (repository: string, file: string): string =>
  isRepositoryUrl(repository) ? repository : resolve(dirname(file), repository);
