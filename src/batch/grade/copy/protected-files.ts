import type { GradingBench } from '../grading-context.js';

export interface ProtectedFile {
  readonly path: string;
  readonly executable: boolean;
}

/** The files of the base that the item protects, from git's index, before any change of the agent is applied. */
export async function listProtected({
  environment,
  item: { protect = [] },
  signal,
}: GradingBench): Promise<ProtectedFile[]> {
  if (protect.length === 0) return [];
  const list = ['git', '--literal-pathspecs', 'ls-files', '--stage', '-z', '--', ...protect];
  const { stdout } = await environment.run({
    command: list,
    timeoutMs: LIMIT_MS,
    signal,
    endsLeftovers: false,
  });
  return stdout
    .toString('utf8')
    .split('\0')
    .flatMap(line => {
      const [, mode, path] = /^(\d+) [^\t]*\t(.*)$/s.exec(line) ?? [];
      return mode === undefined || path === undefined ? [] : [{ path, executable: mode === '100755' }];
    });
}

const LIMIT_MS = 60_000;
