import type { SandboxedRuntime } from '../../domain/isolation/decide-isolation.js';
import type { RuntimeFinding } from '../../domain/sandbox/runtime-finding.js';
import type { Context } from '../../operations/context.js';
import type { Sandboxes } from '../../sandbox/sandboxes.js';

/**
 * The context of a batch, which probes once which runtime works here, not for each of a thousand workspaces: a
 * probe starts a sandbox, 30 ms. The result only decides which runtime is named in the workspace: every command verifies
 * that it runs inside, and fails where it cannot. A failed probe is repeated each time.
 */
export function chooseOnce(context: Context): Context {
  const findings = new Map<SandboxedRuntime, Promise<RuntimeFinding>>();
  return {
    ...context,
    sandboxes: async () => {
      const sandboxes = await context.sandboxes();
      return { ...sandboxes, probe: runtime => probe(sandboxes, findings, runtime) };
    },
  };
}

async function probe(
  sandboxes: Sandboxes,
  findings: Map<SandboxedRuntime, Promise<RuntimeFinding>>,
  runtime: SandboxedRuntime,
): Promise<RuntimeFinding> {
  const probing = findings.get(runtime) ?? sandboxes.probe(runtime);
  findings.set(runtime, probing);
  try {
    const finding = await probing;
    if (finding.obstacle !== null) findings.delete(runtime);
    return finding;
  } catch (error) {
    findings.delete(runtime);
    throw error;
  }
}
