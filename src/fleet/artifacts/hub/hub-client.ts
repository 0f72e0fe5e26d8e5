import type { IncomingMessage } from 'node:http';
import { mapAtOnce } from '../../../workspace/work/map-at-once.js';
import { requireHash } from '../blob-source.js';
import type { BlobOptions, BlobSource, BlobStore } from '../blob-store.js';
import { callHttp, type HttpCall, rangeFrom, refusal, takeBody } from '../http-call.js';
import { PATIENCE_MS, TemporaryFailure, untilDeadline } from '../patience.js';

export interface HubOptions {
  /** Of the blobs: `https://host:7420/fleet/blobs`. */
  readonly url: string;
  readonly token: string;
  readonly patienceMs?: number | undefined;
  readonly idleMs?: number | undefined;
  readonly pieceBytes?: number | undefined;
}

/** One request; a server gives a request less than a minute, and a slow line continues with the next. */
const PIECE_BYTES = 8 * 1024 ** 2;
const IDLE_MS = 20_000;
const AT_ONCE = 8;

/** The blobs of a hub: `carrel serve` on the coordinator. */
export function openHubStore(options: HubOptions): BlobStore {
  const { url, token, patienceMs = PATIENCE_MS, idleMs = IDLE_MS, pieceBytes = PIECE_BYTES } = options;
  const name = `the hub ${url}`;
  const patiently = <T>(call: BlobOptions | undefined, action: (signal: AbortSignal) => Promise<T>) =>
    untilDeadline({ where: name, patienceMs, ...call }, action);
  const ask = (hash: string, call: Omit<HttpCall, 'url' | 'idleMs'>) =>
    callHttp({
      ...call,
      url: `${url}/${hash}`,
      headers: { ...call.headers, authorization: `Bearer ${token}` },
      idleMs,
    });
  const stateOf = async (hash: string, signal: AbortSignal): Promise<UploadState> => {
    const answer = await ask(hash, { method: 'HEAD', signal });
    answer.resume();
    if (answer.statusCode === 200) return { isWhole: true, offset: 0 };
    if (answer.statusCode === 404) return { isWhole: false, offset: offsetOf(answer) };
    throw await refusal(name, answer);
  };
  return {
    name,
    has: async (hashes, call) => {
      const isThere = await mapAtOnce(hashes, AT_ONCE, hash =>
        patiently(call, signal => stateOf(hash, signal)),
      );
      return new Set(hashes.filter((_, at) => isThere[at]?.isWhole));
    },
    put: async (hash, source, call) => {
      await requireHash(hash, source);
      await patiently(call, async signal => {
        let { isWhole, offset } = await stateOf(hash, signal);
        while (!isWhole) {
          const end = Math.min(offset + pieceBytes, source.size);
          const answer = await ask(hash, { method: 'PUT', signal, ...pieceOf(source, offset, end) });
          ({ isWhole, offset } = await readProgress(name, answer));
        }
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

interface UploadState {
  readonly isWhole: boolean;
  /** Bytes that the hub has. */
  readonly offset: number;
}

const offsetOf = ({ headers }: IncomingMessage): number => Number(headers['upload-offset'] ?? 0);

const pieceOf = (source: BlobSource, start: number, end: number): Pick<HttpCall, 'headers' | 'body'> => ({
  headers: {
    'content-type': 'application/octet-stream',
    'content-length': String(end - start),
    // Nothing is left of an empty blob, and of one whose last sender did not wait for the check.
    'content-range': start === end ? `bytes */${source.size}` : `bytes ${start}-${end - 1}/${source.size}`,
  },
  body: source.open(start, end),
});

async function readProgress(where: string, answer: IncomingMessage): Promise<UploadState> {
  const { statusCode } = answer;
  if (statusCode === 409) {
    answer.resume();
    throw new TemporaryFailure('another upload of the same blob is under way');
  }
  if (statusCode !== 200 && statusCode !== 201 && statusCode !== 202) throw await refusal(where, answer);
  answer.resume();
  return { isWhole: statusCode !== 202, offset: offsetOf(answer) };
}
