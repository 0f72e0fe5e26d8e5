import { Readable } from 'node:stream';
import { carrelError } from '../../../domain/error/error.js';
import { isBlobHash } from '../blob-store.js';
import type { BlobState, Hub } from './hub.js';

/** A request for one blob. Its sender has been authenticated. */
export interface HubRequest {
  readonly method: string;
  /** The last part of the path. */
  readonly hash: string;
  readonly headers: Pick<Headers, 'get'>;
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Answers HEAD, GET (with ranges) and PUT (a piece with Content-Range). Throws what the hub throws. */
export async function answerBlob(hub: Hub, { method, hash, headers, body }: HubRequest): Promise<Response> {
  if (!isBlobHash(hash)) throw invalid('path.hash', 'expected 64 hexadecimal digits');
  switch (method) {
    case 'HEAD':
      return describeState(await hub.stateOf(hash), 404);
    case 'GET':
      return sendBlob(hub, hash, parseRange(headers.get('range')));
    case 'PUT': {
      const piece = parsePiece(headers);
      return describeState(await hub.append(hash, { ...piece, body: body ?? noBytes() }), 202);
    }
    default:
      throw invalid('method', `expected HEAD, GET or PUT, got ${method}`);
  }
}

function describeState(state: BlobState, partialStatus: 202 | 404): Response {
  switch (state.kind) {
    case 'whole':
      return new Response(null, { headers: { 'content-length': String(state.size) } });
    case 'partial':
      return new Response(null, {
        status: partialStatus,
        headers: { 'upload-offset': String(state.offset), 'content-length': '0' },
      });
    case 'conflict':
      return new Response(null, {
        status: 409,
        headers: { 'upload-offset': String(state.offset), 'content-length': '0' },
      });
  }
}

async function sendBlob(hub: Hub, hash: string, from: number): Promise<Response> {
  const found = await hub.open(hash, from);
  if (!found) throw carrelError('BLOB_MISSING', { hash, where: 'the hub' });
  const { size, body } = found;
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(Math.max(0, size - from)),
    ...(from > 0 && { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
  };
  return new Response(Readable.toWeb(body) as ReadableStream, { status: from > 0 ? 206 : 200, headers });
}

/** Only the open range of a download that continues. */
function parseRange(text: string | null): number {
  if (text === null) return 0;
  const [, from] = /^bytes=(\d{1,15})-$/.exec(text) ?? [];
  if (from === undefined) throw invalid('headers.range', 'expected bytes=N-');
  return Number(from);
}

/** `*` instead of a range: the hub has all bytes, and is to check them. */
function parsePiece(headers: Pick<Headers, 'get'>) {
  const text = headers.get('content-range') ?? '';
  const [, all] = /^bytes \*\/(\d{1,15})$/.exec(text) ?? [];
  if (all !== undefined) return { start: Number(all), length: 0, total: Number(all) };
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(text);
  if (!range) throw invalid('headers.content-range', 'expected bytes FIRST-LAST/TOTAL or bytes */TOTAL');
  const [start = 0, last = 0, total = 0] = range.slice(1).map(Number);
  if (start > last || last >= total) throw invalid('headers.content-range', 'expected FIRST <= LAST < TOTAL');
  return { start, length: last + 1 - start, total };
}

const invalid = (at: string, problem: string) =>
  carrelError('REQUEST_INVALID', { issues: [{ at, problem }] });

async function* noBytes(): AsyncGenerator<Uint8Array> {
  // An empty blob has no body.
}
