import type { Git } from '../../git/git.js';
import { checkSizes } from './check-sizes.js';
import { checkSubmodules } from './check-submodules.js';
import { checkSymlinks } from './check-symlinks.js';
import { collectChanges } from './collect-changes.js';
import { createFindings, EnoughFound, type Findings } from './findings.js';
import type { IncomingRepository } from './incoming-repository.js';
import type { TakeBackLimits } from './limits.js';
import type { NewCommit } from './new-commits.js';
import { withObjectReader } from './object-reader.js';

export interface ContentRequest {
  readonly git: Git;
  readonly incoming: IncomingRepository;
  /** The repository that it is meant for. */
  readonly commonDir: string;
  /** New ones only, newest first. */
  readonly commits: readonly NewCommit[];
  readonly limits: TakeBackLimits;
  readonly signal: AbortSignal;
}

/**
 * What git itself lets pass and we do not: what is harmless here and is not on the machine of whoever gets it next.
 * Only what the new commits bring is judged; what the repository has already is the user's own. Gives the problems, each
 * a sentence.
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

/** More than anybody merges at once; every file is compared with all of them. */
const MOST_PARENTS = 64;

function checkCommits({ commits, limits }: ContentRequest, findings: Findings): void {
  if (commits.length > limits.commits) findings.stop(`there are more than ${limits.commits} commits`);
  const odd = commits.find(({ parents }) => parents.length > MOST_PARENTS);
  if (odd) findings.stop(`the commit ${odd.id} has ${odd.parents.length} parents`);
}
