import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Delivery {
  readonly url: string;
  readonly secret: string;
  /** Name of the event. */
  readonly type: string;
  /** The same in every repetition, so that a receiver can recognize them. */
  readonly id: string;
  readonly body: string;
}

export interface SendOptions {
  readonly now: () => number;
  readonly signal: AbortSignal;
}

const ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;
const LIMIT_MS = 10_000;

/**
 * Sends one event, again after a failure that may pass. Returns why it failed; undefined when the receiver accepted it.
 * Redirects are failures: the data goes to the address in the configuration or nowhere.
 */
export async function sendWebhook(delivery: Delivery, options: SendOptions): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const { problem, mayPass } = await sendOnce(delivery, options);
    if (problem === undefined || !mayPass || attempt === ATTEMPTS || options.signal.aborted) return problem;
    // Twice as long after each failure.
    await sleep(FIRST_DELAY_MS * 2 ** (attempt - 1), undefined, { signal: options.signal }).catch(
      () => undefined,
    );
  }
}

interface Outcome {
  readonly problem: string | undefined;
  readonly mayPass: boolean;
}

async function sendOnce(
  { url, secret, type, id, body }: Delivery,
  { now, signal }: SendOptions,
): Promise<Outcome> {
  const timestamp = Math.floor(now() / 1000);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'carrel',
        'carrel-event': type,
        'carrel-delivery': id,
        'carrel-signature': `t=${timestamp},v1=${signWebhook(secret, timestamp, body)}`,
      },
      body,
    });
    await response.body?.cancel();
    if (response.ok) return { problem: undefined, mayPass: false };
    const { status } = response;
    return { problem: `status ${status}`, mayPass: status >= 500 || status === 429 || status === 408 };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason =
      cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message;
    return { problem: reason, mayPass: true };
  }
}

/** HMAC-SHA256 of the seconds since 1970, a dot and the body, in hexadecimal. */
const signWebhook = (secret: string, timestamp: number, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
