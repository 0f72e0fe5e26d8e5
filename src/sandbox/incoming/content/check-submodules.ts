import { displayPath } from '../../../git/byte-path.js';
import type { CollectedChanges } from './collect-changes.js';
import type { ContentRequest } from './content-policy.js';
import { describeEntry } from './describe-entry.js';
import type { Findings } from './findings.js';
import { checkSubmodule, parseSubmodules, type Submodule } from './submodule-rules.js';
import type { ChangedEntry } from './walk-changes.js';

/** Submodules that are new, or of which something was changed. */
export async function checkSubmodules(
  request: ContentRequest,
  { moduleLists }: Pick<CollectedChanges, 'moduleLists'>,
  findings: Findings,
): Promise<void> {
  for (const entry of moduleLists) {
    const before = await Promise.all(entry.before.map(({ id }) => readSubmodules(request, id)));
    for (const [name, module] of await readSubmodules(request, entry.id)) {
      if (before.some(known => isSame(known.get(name), module))) continue;
      const problem = checkSubmodule(name, module);
      if (problem !== undefined) findings.add(describeProblem(entry, name, problem));
    }
  }
}

/** git reads it, without following includes. An invalid file was refused on arrival, or existed before. */
async function readSubmodules({ git, incoming, signal }: ContentRequest, id: string) {
  const query = ['config', '--blob', id, '-z', '--list'];
  const { stdout } = await git.run(query, { ...incoming.options, signal, answers: [0, 1, 128] });
  return parseSubmodules(stdout.toString('latin1').split('\0').filter(Boolean).map(displayPath));
}

const isSame = (known: Submodule | undefined, module: Submodule): boolean =>
  known?.path === module.path && known?.url === module.url && known?.update === module.update;

const describeProblem = (entry: ChangedEntry, name: string, problem: string): string =>
  `the submodule ${JSON.stringify(name)} in ${describeEntry(entry)} ${problem}`;
