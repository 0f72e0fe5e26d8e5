import { isCarrelError } from '../../domain/error/error.js';
import type { DoctorReport } from '../../domain/report/result.js';
import type { Context } from '../context.js';

type Check = DoctorReport['checks'][number];

/** Whether the user's choice of `sandbox.network` works in bubblewrap, and what it leaves open. Engines bring their own. */
export async function checkNetwork(context: Pick<Context, 'sandboxes' | 'loadConfig'>): Promise<Check> {
  const name = 'sandbox network';
  const { network, runtime } = (await context.loadConfig(null)).config.sandbox;
  if (network === 'host') {
    const message = 'host: commands in a sandbox can reach every service on this machine, including loopback';
    return { name, status: 'warning', message, hint: 'choose sandbox.network: full, or allowlist' };
  }
  if (network !== 'full') return { name, status: 'ok', message: network, hint: null };
  const { runtimes } = await context.sandboxes();
  if (runtime !== 'auto' && runtime !== 'bubblewrap')
    return { name, status: 'ok', message: `full, by ${runtime}`, hint: null };
  try {
    await runtimes.bubblewrap.tryNetwork?.();
    return { name, status: 'ok', message: "full, isolated from this machine's network", hint: null };
  } catch (error) {
    if (!isCarrelError(error, 'OWN_NETWORK_UNAVAILABLE')) throw error;
    return { name, status: 'problem', message: error.message, hint: error.hint };
  }
}
