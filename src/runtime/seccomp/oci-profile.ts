import type { Alternative } from './argument-test.js';
import { ENOSYS, listRefusals, type Refusal, type SeccompChoice } from './refusals.js';
import { requireSeccompArchitecture } from './seccomp-filter.js';
import { listSyscalls, type SeccompArchitecture } from './syscalls.js';

/** The part of an OCI seccomp profile that podman and docker read from --security-opt seccomp=FILE. */
export interface OciSeccompProfile {
  readonly defaultAction: 'SCMP_ACT_ERRNO';
  readonly defaultErrnoRet: number;
  readonly architectures: readonly string[];
  readonly syscalls: readonly OciRule[];
}

interface OciRule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly {
    readonly index: number;
    /** The mask, as this comparison has it. */
    readonly value: number;
    readonly valueTwo: number;
    readonly op: 'SCMP_CMP_MASKED_EQ';
  }[];
}

/**
 * The same refusals for the container engines. It replaces the engine's own profile, so it too is a list of allowed
 * calls, with "no such call" for all others: a call that a newer kernel adds is refused until it is known here, and
 * programs handle that as on an older kernel. Where arguments decide, a profile can only list what is allowed, so
 * refused calls get ENOSYS, not EPERM as in bubblewrap's filter.
 */
export function ociSeccompProfile(
  architecture: string,
  choice: SeccompChoice,
  runtime: string,
): OciSeccompProfile {
  const known = requireSeccompArchitecture(architecture, runtime);
  const names = listSyscalls(known);
  const refusals = listRefusals(choice).map(refusal => ({
    ...refusal,
    syscalls: refusal.syscalls.filter(name => names.has(name)),
  }));
  const refused = new Set(refusals.flatMap(({ syscalls }) => syscalls));
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: ENOSYS,
    architectures: [OCI_ARCHITECTURE[known]],
    syscalls: [
      { names: [...names.keys()].filter(name => !refused.has(name)), action: 'SCMP_ACT_ALLOW' },
      ...refusals.filter(({ syscalls }) => syscalls.length > 0).flatMap(renderRefusal),
    ],
  };
}

const OCI_ARCHITECTURE: Readonly<Record<SeccompArchitecture, string>> = {
  x64: 'SCMP_ARCH_X86_64',
  arm64: 'SCMP_ARCH_AARCH64',
};

function renderRefusal({ syscalls: names, errno, unless }: Refusal): OciRule[] {
  if (!unless) return [{ names, action: 'SCMP_ACT_ERRNO', errnoRet: errno }];
  return unless.map(alternative => ({ names, action: 'SCMP_ACT_ALLOW', args: renderArguments(alternative) }));
}

function renderArguments(alternative: Alternative): NonNullable<OciRule['args']> {
  return alternative.map(({ argument, mask, value }) => ({
    index: argument,
    value: mask,
    valueTwo: value,
    op: 'SCMP_CMP_MASKED_EQ',
  }));
}
