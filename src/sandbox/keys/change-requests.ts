import type { IncomingMessage } from 'node:http';
import { type Duplex, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Redactor } from '../../domain/secret/redactor.js';
import type { Change } from '../network/proxy/forward.js';
import type { HeldKey } from './held-key.js';

/** Puts keys into request headers that have their placeholder, and removes them from responses. */
export function changeFor(keys: readonly HeldKey[], redactor: Redactor): Change {
  return {
    requestHeaders: headers => [
      ...mapHeaders(headers, (name, value) => changeHeader(keys, name, value)),
      ...['Accept-Encoding', 'identity'],
    ],
    answerHeaders: (headers, reply) => cleanHeaders(headers, reply, redactor),
    answerBody: reply => openBody(reply, redactor),
  };
}

type MapHeader = (name: string, value: string) => string | undefined;

/** Undefined leaves a header out. */
function mapHeaders(headers: readonly string[], map: MapHeader): string[] {
  const mapped: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    const changed = map(name.toLowerCase(), value);
    if (changed !== undefined) mapped.push(name, changed);
  }
  return mapped;
}

/**
 * Compressed responses can't be searched for keys, so none are requested; nor are partial responses, since a key repeated in
 * one could be fetched in two parts.
 */
function changeHeader(keys: readonly HeldKey[], name: string, value: string): string | undefined {
  if (UNWANTED.includes(name)) return undefined;
  const own = keys.filter(({ headers }) => headers.includes(name));
  return own.reduce(putIn, value);
}

const UNWANTED = ['accept-encoding', 'range', 'if-range'];

function putIn(value: string, key: HeldKey): string {
  const login = /^(Basic +)([A-Za-z0-9+/=_-]+)$/i.exec(value);
  if (!login) return value.replaceAll(key.placeholder, key.value);
  const text = Buffer.from(login[2] ?? '', 'base64').toString();
  if (!text.includes(key.placeholder)) return value;
  return login[1] + Buffer.from(text.replaceAll(key.placeholder, key.value)).toString('base64');
}

/** The length of what is searched is not known before its end. */
function cleanHeaders(headers: readonly string[], reply: IncomingMessage, redactor: Redactor): string[] {
  const isDecoded = reply.headers['content-encoding'] !== undefined;
  return mapHeaders(headers, (name, value) => {
    if (name === 'content-length' && hasBody(reply)) return undefined;
    if (name === 'content-encoding' && isDecoded && hasBody(reply)) return undefined;
    return clean(value, redactor);
  });
}

function clean(value: string, redactor: Redactor): string {
  const stream = redactor.stream();
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([stream.add(bytes), stream.end()]).toString('latin1');
}

const hasBody = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode !== 204 && statusCode !== 304;

function openBody(reply: IncomingMessage, redactor: Redactor): Duplex[] | undefined {
  const coding = reply.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (!Object.hasOwn(DECODERS, coding)) return undefined;
  const decoder = DECODERS[coding]?.();
  return [...(decoder ? [decoder] : []), createCleaner(redactor)];
}

/** Some hosts always compress. */
const DECODERS: Readonly<Record<string, () => Duplex | undefined>> = {
  identity: () => undefined,
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Holds back no more than the beginning of a key, so that events pass through as they are sent. */
function createCleaner(redactor: Redactor): Transform {
  const stream = redactor.stream();
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, stream.add(chunk)),
    flush: done => done(null, stream.end()),
  });
}
