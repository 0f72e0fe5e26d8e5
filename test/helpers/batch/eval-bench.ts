import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Attempt } from '../../../src/domain/batch/attempt.js';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import type { EvalItem } from '../../../src/domain/batch/eval-item.js';
import type { Carrel } from '../carrel.js';
import { writeFiles } from '../repository.js';
import { tempDir } from '../temp.js';
import { createTidyCarrel } from '../workspace/test-workspace.js';

/** A file with a dataset in Carrel's own format. */
export function writeDataset(items: readonly EvalItem[]): string {
  const directory = tempDir();
  writeFiles(directory, { 'set.yaml': stringify({ name: 'set', items }) });
  return join(directory, 'set.yaml');
}

/** An attempt with what its agent has printed. */
export type LoggedAttempt = Attempt & { readonly log: string };

/**
 * What comes of one task when several agents have their way with it, in one batch by the real command: each is text for
 * the shell under a name that is a word.
 */
export function tryAgents<Name extends string>(
  item: EvalItem,
  agents: Readonly<Record<Name, string>>,
  { carrel = createTidyCarrel(), isolation = 'worktree' }: TryOptions = {},
): Record<Name, LoggedAttempt> {
  const names = Object.keys(agents) as Name[];
  const dataset = writeDataset(names.map(id => ({ ...item, id })));
  const texts = names.map(name => `${name}() {\n${agents[name]}\n}`);
  const agent = [...texts, '"$CARREL_TASK_ID"'].join('\n');
  const words = ['--dataset', dataset, '--agent', agent, '--isolation', isolation, '--parallelism', '2'];
  const run = carrel.json<BatchRun>(tempDir(), 'eval', 'run', ...words);
  const logged = run.attempts.map(attempt => [
    attempt.taskId,
    { ...attempt, log: readFileSync(join(run.directory, attempt.logPath), 'utf8') },
  ]);
  return Object.fromEntries(logged);
}

interface TryOptions {
  readonly carrel?: Carrel;
  readonly isolation?: 'worktree' | 'full' | 'none';
}

/** The reported fields of each, without the rest. */
export function outcomesOf<Name extends string>(
  attempts: Readonly<Record<Name, Attempt>>,
): Record<Name, Attempt['outcome']> {
  const entries = Object.entries<Attempt>(attempts).map(([name, { outcome }]) => [name, outcome]);
  return Object.fromEntries(entries);
}
