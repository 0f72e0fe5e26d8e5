import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { carrelError, errnoOf, ignoreMissing } from '../../../domain/error/error.js';
import type { Context } from '../../../operations/context.js';
import type { HubLimits } from './hub.js';

const SettingsSchema = z.strictObject({
  token: z.string().regex(/^[\w-]{32,200}$/),
  quotaBytes: z.int().positive().nullable(),
});

/** The hub of this machine: where its blobs are, and the token for them, which opens nothing else. */
export interface HubSettings {
  readonly directory: string;
  readonly token: string;
  readonly limits: HubLimits;
}

/** Makes this machine a hub, with a new token, unless it is one. `carrel serve` offers its blobs from then on. */
export async function prepareHub(
  context: Pick<Context, 'places'>,
  { quotaBytes }: Pick<HubLimits, 'quotaBytes'> = {},
): Promise<HubSettings> {
  const file = fileOf(context);
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const settings = { token: randomBytes(32).toString('base64url'), quotaBytes: quotaBytes ?? null };
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, `${JSON.stringify(settings)}\n`, { flag: 'wx', mode: 0o600 });
    // Appears with its content, and never replaces the token of another process.
    await link(draft, file);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await findHubSettings(context)) as HubSettings;
}

/** Undefined when this machine is no hub. TOKEN_FILE_UNUSABLE when other users can read the token. */
export async function findHubSettings(context: Pick<Context, 'places'>): Promise<HubSettings | undefined> {
  const file = fileOf(context);
  const handle = await open(file, 'r').catch(ignoreMissing);
  if (!handle) return undefined;
  try {
    const mode = (await handle.stat()).mode & 0o777;
    if ((mode & 0o077) !== 0)
      throw unusable(file, `other users can access it (mode ${mode.toString(8)}, expected 600)`);
    const parsed = SettingsSchema.safeParse(parse(await handle.readFile('utf8')));
    if (!parsed.success) throw unusable(file, 'expected JSON with token and quotaBytes');
    const { token, quotaBytes } = parsed.data;
    const directory = join(context.places.stateDir, 'fleet', 'blobs');
    return { directory, token, limits: { quotaBytes: quotaBytes ?? undefined } };
  } finally {
    await handle.close();
  }
}

const fileOf = ({ places }: Pick<Context, 'places'>): string => join(places.stateDir, 'fleet', 'hub.json');

const unusable = (file: string, problem: string) => carrelError('TOKEN_FILE_UNUSABLE', { file, problem });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
