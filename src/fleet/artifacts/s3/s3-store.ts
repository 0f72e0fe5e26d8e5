import { carrelError } from '../../../domain/error/error.js';
import { mapAtOnce } from '../../../workspace/work/map-at-once.js';
import { requireHash } from '../blob-source.js';
import type { BlobOptions, BlobStore } from '../blob-store.js';
import { callHttp, type HttpCall, rangeFrom, refusal, takeBody } from '../http-call.js';
import { PATIENCE_MS, untilDeadline } from '../patience.js';
import { type Bucket, presign } from './presign.js';

export interface S3Options extends Bucket {
  /** Before the hash: `carrel/blobs/`. */
  readonly prefix?: string | undefined;
  /** Of one blob. */
  readonly mostBytes?: number | undefined;
  readonly patienceMs?: number | undefined;
  readonly idleMs?: number | undefined;
}

/** What S3 accepts in one request. */
const MOST_BYTES = 5 * 1024 ** 3;
const IDLE_MS = 30_000;
const EXPIRES_SECONDS = 15 * 60;
const AT_ONCE = 8;

/**
 * Blobs in an S3-compatible store, by presigned URLs that this machine makes with its own keys. An upload is one
 * request, so that the store can check its SHA-256; a broken one starts again. Its quota is the store's own.
 */
export function openS3Store(options: S3Options): BlobStore {
  const { endpoint, bucket, prefix = '', mostBytes = MOST_BYTES } = options;
  const { patienceMs = PATIENCE_MS, idleMs = IDLE_MS } = options;
  const name = `the bucket ${bucket} of ${endpoint}`;
  const patiently = <T>(call: BlobOptions | undefined, action: (signal: AbortSignal) => Promise<T>) =>
    untilDeadline({ where: name, patienceMs, ...call }, action);
  const ask = (hash: string, call: Omit<HttpCall, 'url' | 'idleMs'>, signed: Record<string, string> = {}) => {
    const key = `${prefix}${hash}`;
    const { method } = call;
    const now = Date.now();
    const url = presign(options, { method, key, headers: signed, expiresSeconds: EXPIRES_SECONDS, now });
    return callHttp({ ...call, headers: { ...call.headers, ...signed }, url, idleMs });
  };
  const find = async (hash: string, signal: AbortSignal): Promise<boolean> => {
    const answer = await ask(hash, { method: 'HEAD', signal });
    answer.resume();
    if (answer.statusCode === 200) return true;
    if (answer.statusCode === 404) return false;
    throw await refusal(name, answer);
  };
  return {
    name,
    has: async (hashes, call) => {
      const isThere = await mapAtOnce(hashes, AT_ONCE, hash => patiently(call, signal => find(hash, signal)));
      return new Set(hashes.filter((_, at) => isThere[at]));
    },
    put: async (hash, source, call) => {
      if (source.size > mostBytes)
        throw carrelError('BLOB_TOO_LARGE', {
          what: `the blob ${hash}`,
          bytes: source.size,
          limitBytes: mostBytes,
        });
      await requireHash(hash, source);
      await patiently(call, async signal => {
        if (await find(hash, signal)) return;
        const body = source.open(0, source.size);
        const headers = { 'content-length': String(source.size) };
        const signed = { 'x-amz-checksum-sha256': Buffer.from(hash, 'hex').toString('base64') };
        const answer = await ask(hash, { method: 'PUT', headers, body, signal }, signed);
        if (answer.statusCode !== 200) throw await refusal(name, answer);
        answer.resume();
      });
    },
    get: (hash, call) =>
      patiently(call, async signal => {
        const from = call?.from ?? 0;
        const answer = await ask(hash, { method: 'GET', headers: rangeFrom(from), signal });
        return takeBody(answer, { hash, where: name, from });
      }),
  };
}
