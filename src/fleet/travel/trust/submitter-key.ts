import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { link, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError, errnoOf, ignoreMissing, isCarrelError } from '../../../domain/error/error.js';
import type { Context } from '../../../operations/context.js';

/** The key of a person or a machine that submits jobs. */
export interface SubmitterKey {
  readonly privateKey: KeyObject;
  /** `ed25519:` and the key, as workers list it. */
  readonly publicKey: string;
}

const PREFIX = 'ed25519:';

/** The key in Carrel's state directory; made at first use. FLEET_KEY_INVALID when other users can read it. */
export async function loadSubmitterKey(context: Pick<Context, 'places'>): Promise<SubmitterKey> {
  const file = join(context.places.stateDir, 'fleet', 'key.pem');
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeNewKey(file);
  const fail = (problem: string, cause?: unknown) =>
    carrelError('FLEET_KEY_INVALID', { what: file, problem }, cause);
  const handle = await open(file, 'r');
  try {
    const mode = (await handle.stat()).mode & 0o777;
    if ((mode & 0o077) !== 0) throw fail(`its mode is ${mode.toString(8)}; expected 600`);
    const privateKey = createPrivateKey(await handle.readFile());
    if (privateKey.asymmetricKeyType !== 'ed25519') throw fail('expected an Ed25519 key');
    return { privateKey, publicKey: formatPublicKey(createPublicKey(privateKey)) };
  } catch (error) {
    if (isCarrelError(error)) throw error;
    throw fail('expected a private key in PEM format', error);
  } finally {
    await handle.close();
  }
}

/** Two processes may start at once: the first key stays, and is whole from the first moment. */
async function writeNewKey(file: string): Promise<void> {
  if (await stat(file).catch(ignoreMissing)) return;
  const { privateKey } = generateKeyPairSync('ed25519');
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const text = privateKey.export({ type: 'pkcs8', format: 'pem' });
    await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    await link(draft, file);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function formatPublicKey(key: KeyObject): string {
  const { x } = key.export({ format: 'jwk' });
  return `${PREFIX}${x}`;
}

/** FLEET_KEY_INVALID. */
export function parsePublicKey(text: string): KeyObject {
  const x = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  } catch (error) {
    const problem = 'expected ed25519: and 43 characters';
    throw carrelError('FLEET_KEY_INVALID', { what: JSON.stringify(text.slice(0, 80)), problem }, error);
  }
}

/** For people to compare: `1f2e-3d4c-5b6a-7988`. Workers list the whole key. */
export const formatFingerprint = (publicKey: string): string =>
  (createHash('sha256').update(publicKey).digest('hex').slice(0, 16).match(/.{4}/g) as string[]).join('-');
