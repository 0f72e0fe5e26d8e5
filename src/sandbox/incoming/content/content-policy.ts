import type { Git } from '../../../git/git.js';
import type { ImportLimits } from '../import-limits.js';
import { type ObjectReader, withObjectReader } from '../incoming-object-reader.js';
import type { IncomingRepository } from '../incoming-repository.js';
import type { NewCommit } from '../new-commits.js';
import { checkSizes } from './check-sizes.js';
import { checkSubmodules } from './check-submodules.js';
import { type CollectedChanges, collectChanges } from './collect-changes.js';
import { describeEntry } from './describe-entry.js';
import { createFindings, EnoughFound, type Findings } from './findings.js';
import { checkTarget } from './symlink-rules.js';

export interface ContentRequest {
  readonly git: Git;
  readonly incoming: IncomingRepository;
  /** The repository that it is meant for. */
  readonly commonDir: string;
  /** New ones only, newest first. */
  readonly commits: readonly NewCommit[];
  readonly limits: ImportLimits;
  readonly signal: AbortSignal;
}

/**
 * Rules beyond git's own: for content that is harmless here but not on the machine of the next person who gets it. Only new
 * commits are checked; what the repository already has is the user's own. Returns the problems, each a sentence.
 */
export async function checkContent(request: ContentRequest): Promise<readonly string[]> {
  const findings = createFindings();
  try {
    checkCommits(request, findings);
    await withObjectReader(request.git, request.incoming, request.signal, async reader => {
      const changes = await collectChanges(request, reader, findings);
      const short = await checkSizes(request, changes, findings);
      await checkSymlinks(reader, short, findings);
      await checkSubmodules(request, short, findings);
    });
  } catch (error) {
    if (!(error instanceof EnoughFound)) throw error;
  }
  return findings.problems;
}

/** More parents than any real merge; every file is compared with all of them. */
const MOST_PARENTS = 64;

function checkCommits({ commits, limits }: ContentRequest, findings: Findings): void {
  if (commits.length > limits.commits) findings.stop(`there are more than ${limits.commits} commits`);
  const odd = commits.find(({ parents }) => parents.length > MOST_PARENTS);
  if (odd) findings.stop(`the commit ${odd.id} has ${odd.parents.length} parents`);
}

async function checkSymlinks(
  reader: ObjectReader,
  { symlinks }: Pick<CollectedChanges, 'symlinks'>,
  findings: Findings,
): Promise<void> {
  for (const entry of symlinks) {
    const target = (await reader.read(entry.id))?.toString('latin1') ?? '';
    const problem = checkTarget(entry.path, target);
    if (problem !== undefined) findings.add(`${describeEntry(entry)} ${problem}`);
  }
}
