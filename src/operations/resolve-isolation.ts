import { degradeIsolation } from '../domain/degrade-isolation.js';
import type { IsolationMode } from '../domain/isolation.js';
import type { RuntimeName } from '../domain/runtime.js';
import type { BackendName, Workspace } from '../domain/workspace.js';
import type { Context } from './context.js';
import { warnOfWeakness } from './sandbox-settings.js';
import type { Settings } from './settings.js';

export interface ResolvedIsolation {
  readonly isolation: Workspace['isolation'];
  /** Where commands will run. */
  readonly runtime: RuntimeName;
  readonly warnings: readonly string[];
}

export interface IsolationRequest {
  readonly isolation?: IsolationMode | undefined;
  /** Refuse instead of falling back to less isolation. */
  readonly strict?: boolean | undefined;
}

/** The isolation that can be had here of what was asked for. What was asked to be sandboxed is never passed off as such. */
export async function resolveIsolation(
  context: Context,
  request: IsolationRequest,
  settings: Settings,
  backend: BackendName,
): Promise<ResolvedIsolation> {
  const onUnavailable = request.strict ? 'fail' : settings.onUnavailable;
  if (backend === 'direct')
    return onHost(degradeIsolation(askedOfDirectory(request, settings), ONLY_SHARED, onUnavailable));
  const requested = request.isolation ?? settings.isolation;
  const choice = requested === 'full' ? await chooseRuntime(context, settings) : undefined;
  const isolation = degradeIsolation(
    requested,
    {
      full: choice?.runtime ? true : (choice?.reason ?? 'it was not asked for'),
      worktree: true,
      shared: true,
    },
    onUnavailable,
  );
  if (isolation.effective !== 'full' || !choice?.runtime) return onHost(isolation);
  const warnings = [
    ...choice.finding.warnings,
    ...warnOfWeakness(settings.sandbox, choice.runtime),
    ...(choice.runtime === 'bubblewrap' && settings.sandbox.image !== null
      ? [`bubblewrap has no images: commands see the programs of this machine, not ${settings.sandbox.image}`]
      : []),
  ];
  const isStrict = onUnavailable === 'fail';
  return { isolation: { ...isolation, ...(isStrict && { isStrict }) }, runtime: choice.runtime, warnings };
}

const ONLY_SHARED = {
  full: 'a directory that is used as it is has nothing around it',
  worktree: 'a directory that is used as it is is no worktree',
  shared: true,
} as const;

/** Whoever uses a directory as it is asks for no more than that, unless by flag, or by wanting a sandbox always. */
function askedOfDirectory({ isolation }: IsolationRequest, settings: Settings): IsolationMode {
  return isolation ?? (settings.isolation === 'full' ? 'full' : 'shared');
}

const onHost = (isolation: Workspace['isolation']): ResolvedIsolation => ({
  isolation,
  runtime: 'host',
  warnings: [],
});

async function chooseRuntime(context: Context, settings: Settings) {
  const sandboxes = await context.sandboxes();
  return sandboxes.choose({ runtime: settings.runtime, wantsImage: settings.sandbox.image !== null });
}
