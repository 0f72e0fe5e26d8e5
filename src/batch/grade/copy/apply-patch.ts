import type { CommandResult } from '../../../domain/command/command.js';
import { toBytes } from '../../../git/byte-path.js';
import type { GradingBench } from '../grading-context.js';
import type { PatchSection } from './patch-sections.js';

/** The user's configuration has no effect on what is written, and no hook runs. */
const GIT = ['git', '-c', 'core.hooksPath=/dev/null', '-c', 'core.autocrlf=false'];

/**
 * Applies a patch that was made against the base. Returns the problem, as text. If setup commands ran, the files it touches
 * are first reset to the base: setup may have created the same files that the patch adds.
 */
export async function applyPatch(
  bench: GradingBench,
  sections: readonly PatchSection[],
): Promise<string | undefined> {
  if (sections.length === 0) return undefined;
  const problem = bench.item.setup?.length ? await restore(bench, sections) : undefined;
  if (problem !== undefined) return problem;
  // The base's rules for line endings and encodings stay in effect while the other files are applied: new rules could make git fail.
  const others = sections.filter(section => !isAttributes(section));
  return (await apply(bench, others)) ?? (await apply(bench, sections.filter(isAttributes)));
}

const isAttributes = ({ to, from }: PatchSection): boolean =>
  [to, from].some(path => /(^|\/)\.gitattributes$/i.test(path));

async function apply(bench: GradingBench, sections: readonly PatchSection[]): Promise<string | undefined> {
  if (sections.length === 0) return undefined;
  const stdin = Buffer.from(sections.map(({ text }) => text).join(''), 'latin1');
  return await run(bench, [...GIT, 'apply', '--whitespace=nowarn', '-'], stdin);
}

async function restore(bench: GradingBench, sections: readonly PatchSection[]): Promise<string | undefined> {
  const added = sections.filter(({ action }) => action !== 'change' && action !== 'delete');
  const known = sections.filter(({ action }) => action !== 'create');
  const checkout = ['checkout', '--quiet', bench.environment.commit, '--pathspec-from-file=-'];
  return (
    (added.length > 0
      ? await run(bench, ['sh', '-e'], toBytes(added.map(({ to }) => `rm -rf -- ${quote(to)}\n`).join('')))
      : undefined) ??
    (known.length > 0
      ? await run(
          bench,
          [...GIT, '--literal-pathspecs', ...checkout, '--pathspec-file-nul'],
          toList(known.map(({ from }) => from)),
        )
      : undefined)
  );
}

/** Uses a script, not arguments: names can have any bytes, and there can be many. */
const quote = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

const toList = (paths: readonly string[]): Buffer => toBytes(`${paths.join('\0')}\0`);

const LIMIT_MS = 5 * 60_000;

async function run(
  { environment, signal }: GradingBench,
  command: readonly string[],
  stdin: Buffer,
): Promise<string | undefined> {
  const result = await environment.run({ command, stdin, timeoutMs: LIMIT_MS, signal, endsLeftovers: false });
  return result.exitCode === 0 ? undefined : describe(command, result);
}

function describe(
  command: readonly string[],
  { exitCode, stderr, cancelled, timedOut }: CommandResult,
): string {
  if (cancelled) return 'it was cancelled';
  const how = timedOut ? 'timed out' : `failed with ${exitCode ?? 'a signal'}`;
  return `${command[0]} ${how}: ${stderr.toString('utf8').trim().slice(0, 500)}`;
}
