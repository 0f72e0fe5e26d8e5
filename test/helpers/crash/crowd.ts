import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Outcome } from '../carrel.js';
import { git, gitEnv, writeFiles } from '../repository.js';
import { createSeededRandom } from '../seeded-random.js';
import type { CrashSite } from './crash-site.js';

export interface CrowdOptions {
  readonly workers: number;
  readonly names: readonly string[];
  readonly seed: number;
  readonly forMs: number;
}

export interface CrowdReport {
  /** What was called and how it ended: `up: done`, `land: LAND_NOTHING`, and how often. */
  readonly ends: Readonly<Record<string, number>>;
  /** Commits made in a workspace, that git confirmed. */
  readonly commits: readonly string[];
  /** Calls that ended in another way than done or an error with a code. */
  readonly oddities: readonly string[];
}

const OPERATIONS = [
  'up',
  'up',
  'work',
  'work',
  'down',
  'discard',
  'land',
  'gc',
  'restore',
  'snapshot',
  'ls',
] as const;

/** Several people at once, who make, use, land and remove the same few workspaces without minding each other. */
export async function runCrowd(site: CrashSite, options: CrowdOptions): Promise<CrowdReport> {
  const report = { ends: {} as Record<string, number>, commits: [] as string[], oddities: [] as string[] };
  const deadline = performance.now() + options.forMs;
  const live = async (worker: number): Promise<void> => {
    const random = createSeededRandom(options.seed + worker);
    for (let turn = 1; performance.now() < deadline; turn++) {
      const operation = random.pick(OPERATIONS);
      const name = random.pick(options.names);
      const label = `${operation}-${worker}-${turn}`;
      const end =
        operation === 'work'
          ? await work(site, name, label, report.commits)
          : describeEnd(
              await site.carrel.start(site.repository, ...commandLine(operation, name)),
              report.oddities,
              label,
            );
      const key = `${operation}: ${end}`;
      report.ends[key] = (report.ends[key] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: options.workers }, (_, worker) => live(worker)));
  return report;
}

/**
 * A removal that raced with a commit keeps the branch, as its commits are not landed; such a branch is no
 * leftover.
 */
export function isKeptBranch(repository: string, leftover: string): boolean {
  const ref = /^ref: (refs\/heads\/.*)$/.exec(leftover)?.[1];
  return ref !== undefined && git(repository, 'rev-list', '--count', `main..${ref}`) !== '0';
}

function commandLine(operation: Exclude<(typeof OPERATIONS)[number], 'work'>, name: string): string[] {
  switch (operation) {
    case 'discard':
      return ['down', name, '--discard-changes', '--discard-commits', '--stop-processes', '--json'];
    case 'land':
      return ['land', name, '-m', 'landed', '--json'];
    case 'gc':
      return ['gc', '--older-than', '0s', '--yes', '--json'];
    case 'ls':
      return ['ls', '--json'];
    default:
      return [operation, name, '--json'];
  }
}

/**
 * A commit by plain git, in a workspace that may vanish at any moment. It takes in one file only: `add --all`
 * in a directory that another call has half removed, `.gitignore` first, committed the deletions and `.env`,
 * and a landing rightly refused to overwrite the `.env` of the checkout with it.
 */
async function work(site: CrashSite, name: string, label: string, commits: string[]): Promise<string> {
  const path = join(site.carrel.cacheDir, 'worktrees', 'repo', name);
  if (!existsSync(join(path, '.git'))) return 'nowhere';
  const run = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: path, env: gitEnv() })).stdout.trim();
  try {
    const file = `${label}.txt`;
    writeFiles(path, { [file]: `${label}\n` });
    await run('add', '--', file);
    await run('commit', '--quiet', '-m', label, '--only', '--', file);
    commits.push(await run('rev-parse', 'HEAD'));
    return 'done';
  } catch {
    return 'vanished';
  }
}

function describeEnd({ status, signal, stdout, stderr }: Outcome, oddities: string[], label: string): string {
  if (status === 0) return 'done';
  const code = /"code": "(\w+)"/.exec(stdout)?.[1];
  if (code !== undefined && EXPECTED.has(code)) return code;
  oddities.push(`${label}: ${status ?? signal} ${stdout}${stderr}`);
  return code ?? 'odd';
}

/** Errors that a user of a shared workspace may get. */
const EXPECTED: ReadonlySet<string> = new Set([
  'BRANCH_EXISTS',
  'BRANCH_CHECKED_OUT',
  'LAND_CONFLICT',
  'LAND_NOTHING',
  'LAND_UNCOMMITTED',
  'REF_MOVED',
  'REMOVAL_REFUSED',
  'SNAPSHOT_NOT_FOUND',
  'WORKSPACE_BUSY',
  'WORKSPACE_EXISTS',
  'WORKSPACE_NOT_FOUND',
]);
