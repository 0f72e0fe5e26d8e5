import { open } from 'node:fs/promises';
import type { Git } from '../../git/git.js';
import type { NamedRequest, TemplateRequest } from './template-place.js';
import { findNamedTemplate, listTemplates, type TemplateTree } from './template-tree.js';

/** The template tree that differs least, if the difference is small. */
export async function findNearTemplate(git: Git, request: NamedRequest): Promise<TemplateTree | undefined> {
  let best: { template: TemplateTree; distance: number } | undefined;
  for (const candidate of await listTemplates(request)) {
    const template = await findNamedTemplate(git, candidate);
    const distance = template && (await measureDistance(git, request, candidate.commit));
    if (template && distance !== undefined && distance < (best?.distance ?? (await mostOf(template))))
      best = { template, distance };
  }
  return best?.template;
}

/** How many files differ; undefined when git no longer has the other commit. */
async function measureDistance(
  git: Git,
  request: TemplateRequest,
  from: string,
): Promise<number | undefined> {
  const query = [
    'diff-tree',
    '-r',
    '-z',
    '--name-only',
    '--no-renames',
    '--end-of-options',
    from,
    request.commit,
  ];
  const result = await git.run(query, { gitDir: request.commonDir, answers: [0, 128] });
  if (result.exitCode !== 0) return undefined;
  return result.stdout.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);
}

/** Up to a twentieth of the files, or a hundred files, is worth a layer. */
async function mostOf(template: TemplateTree): Promise<number> {
  return 100 + (await countEntries(template.indexFile)) / 20;
}

/** The index says in its bytes 8 to 11 how many entries it has; see gitformat-index(5). */
async function countEntries(indexFile: string): Promise<number> {
  const file = await open(indexFile);
  try {
    const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0);
    return buffer.readUInt32BE(8);
  } finally {
    await file.close();
  }
}
