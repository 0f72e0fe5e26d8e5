import type { EffectiveConfig } from '../../config/effective-config.js';
import type { Context } from '../context.js';
import { sendWebhook } from './send-webhook.js';

export interface WebhookEvent {
  readonly type: string;
  /** Unique on this machine, and the same when it is sent again. */
  readonly id: string;
  readonly at: string;
  /** What the event is about, and its data. */
  readonly content: Readonly<Record<string, unknown>>;
}

export interface Webhooks {
  /** Sends an event to every address that wants it. Resolves when all have it or were given up; never rejects. */
  send(event: WebhookEvent, signal: AbortSignal): Promise<void>;
}

type Webhook = EffectiveConfig['webhooks'][number];
type Needs = Pick<Context, 'environment' | 'loadConfig' | 'now' | 'redactor'>;

/**
 * The webhooks of the user's own file; undefined without any. A webhook whose secret is missing is reported and not used:
 * nothing is sent without a signature. What cannot be delivered is passed to `report`.
 */
export async function openWebhooks(
  context: Needs,
  report: (problem: string) => void,
): Promise<Webhooks | undefined> {
  const webhooks = (await context.loadConfig(null)).config.webhooks.flatMap(webhook => {
    const secret = context.environment[webhook.secret.env];
    if (secret) return [{ ...webhook, secret }];
    report(`the webhook to ${hostOf(webhook)} is not used: ${webhook.secret.env} is not set`);
    return [];
  });
  if (webhooks.length === 0) return undefined;
  context.redactor.add(webhooks.map(({ secret }) => secret));
  return {
    send: async ({ type, id, at, content }, signal) => {
      // Without secrets that an agent may have printed.
      const body = context.redactor.text(JSON.stringify({ id, type, at, ...content }));
      const wanted = webhooks.filter(({ events }) => events.some(pattern => matches(pattern, type)));
      await Promise.all(
        wanted.map(async ({ url, secret }) => {
          const problem = await sendWebhook({ url, secret, type, id, body }, { now: context.now, signal });
          if (problem !== undefined)
            report(`the webhook to ${hostOf({ url })} did not get ${type}: ${problem}`);
        }),
      );
    },
  };
}

/** `task.*` is every event of tasks. */
const matches = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));

/** The path of an address may be a secret. */
const hostOf = ({ url }: Pick<Webhook, 'url'>): string => new URL(url).host;
