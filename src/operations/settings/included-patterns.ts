import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shippedTemplates } from '../../config/defaults/shipped-templates.js';
import type { LoadedConfig } from '../../config/load-config.js';
import { errnoOf } from '../../domain/error/error.js';

/** Which ignored files are copied into a sandbox: those the user chose, and those the repository requests. */
export interface SandboxIncludes {
  readonly own: readonly string[];
  readonly ofRepository: readonly string[];
}

/**
 * An agent can write files of the repository, and so request the user's secrets in the next sandbox. So its patterns need the user's
 * approval there; and templates that ship with Carrel copy no `.env` files into sandboxes.
 */
export function chooseSandboxIncludes(loaded: LoadedConfig, template: string | undefined): SandboxIncludes {
  const keys = [
    ['workspace', 'include'],
    ...(template === undefined ? [] : [['templates', template, 'include']]),
  ];
  const shipped = template !== undefined && Object.hasOwn(shippedTemplates, template);
  const parts = keys.map(path => ({
    own: toPatterns(loaded.userValue(path)),
    ofRepository: loaded.fromRepository(path.join('.')) ? toPatterns(findIncludes(loaded, path)) : [],
  }));
  const isShippedAlone = shipped && parts[1]?.own.length === 0 && parts[1].ofRepository.length === 0;
  const ofTemplate = isShippedAlone ? toPatterns(findIncludes(loaded, keys[1] ?? [])) : [];
  return {
    own: [...parts.flatMap(({ own }) => own), ...ofTemplate.filter(pattern => !isEnvironmentFile(pattern))],
    ofRepository: parts.flatMap(({ ofRepository }) => ofRepository),
  };
}

function findIncludes({ config }: LoadedConfig, [section, name]: readonly string[]): unknown {
  return section === 'workspace' ? config.workspace.include : config.templates[name ?? '']?.include;
}

const toPatterns = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(pattern => typeof pattern === 'string') : [];

/** `.env*`, `.gemini/.env` */
const isEnvironmentFile = (pattern: string): boolean => (pattern.split('/').at(-1) ?? '').startsWith('.env');

/** The patterns of `.worktreeinclude`, as git reads such a file. */
export async function readWorktreeInclude(repositoryRoot: string): Promise<string[]> {
  const text = await readFile(join(repositoryRoot, '.worktreeinclude'), 'utf8').catch(error => {
    if (errnoOf(error) === undefined) throw error;
    return '';
  });
  const lines = text.split(/\r?\n/).map(line => line.replace(/(?<!\\)\s+$/, ''));
  return lines.filter(line => line !== '' && !line.startsWith('#'));
}

/** What `carrel trust` shows of them. */
export const describeInclude = (pattern: string): string => `bring into sandboxes: ${pattern}`;

/** Every pattern in the repository's own files, for any template. */
export async function listRepositoryIncludes(loaded: LoadedConfig, root: string): Promise<string[]> {
  const templates = Object.keys(loaded.config.templates);
  const patterns = [undefined, ...templates].flatMap(
    template => chooseSandboxIncludes(loaded, template).ofRepository,
  );
  return [...new Set([...patterns, ...(await readWorktreeInclude(root))])].map(describeInclude);
}
