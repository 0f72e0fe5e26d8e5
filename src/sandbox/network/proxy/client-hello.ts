/** What the first bytes of a connection are. */
export type Opening =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'no-hello' }
  /** The host that the client wants within the connection; null when it names none. */
  | { readonly kind: 'hello'; readonly serverName: string | null };

const INCOMPLETE: Opening = { kind: 'incomplete' };
const NO_HELLO: Opening = { kind: 'no-hello' };

/** Larger ones are refused; those of browsers with post-quantum keys have 2 KiB, in one record or two. */
const MOST_BYTES = 16 * 1024;
const MOST_RECORDS = 16;

/**
 * Reads the ClientHello of TLS (RFC 8446, 4.1.2), which may be split into records anywhere. Anything that deviates from the RFC
 * is refused, so that no server can read another name from it than we do.
 *
 * A client that encrypts its hello (ECH) shows a name of the server's choice here, and the true one can't be seen.
 */
export function readOpening(bytes: Buffer): Opening {
  let message = Buffer.alloc(0);
  let rest = bytes;
  for (let records = 0; records < MOST_RECORDS; records += 1) {
    const record = readRecord(rest);
    if (!Buffer.isBuffer(record)) return record;
    message = Buffer.concat([message, record]);
    rest = rest.subarray(RECORD_HEADER + record.length);
    const opening = readMessage(message);
    // Data after the hello is ignored: it may be early data (0-RTT).
    if (opening.kind !== 'incomplete') return opening;
  }
  return NO_HELLO;
}

function readMessage(message: Buffer): Opening {
  if (message[0] !== CLIENT_HELLO) return NO_HELLO;
  if (message.length < 4) return INCOMPLETE;
  const length = 4 + message.readUIntBE(1, 3);
  if (length > MOST_BYTES || message.length > length) return NO_HELLO;
  return message.length < length ? INCOMPLETE : parseHello(new Reader(message.subarray(4)));
}

const CLIENT_HELLO = 1;
const HANDSHAKE = 22;
const RECORD_HEADER = 5;

/** The complete content of the first record, or why it is not available. */
function readRecord(bytes: Buffer): Buffer | Opening {
  if ((bytes[0] ?? HANDSHAKE) !== HANDSHAKE || (bytes[1] ?? 3) !== 3) return NO_HELLO;
  if (bytes.length < RECORD_HEADER) return INCOMPLETE;
  const length = bytes.readUInt16BE(3);
  if (length === 0 || length > MOST_BYTES) return NO_HELLO;
  return bytes.length < RECORD_HEADER + length
    ? INCOMPLETE
    : bytes.subarray(RECORD_HEADER, RECORD_HEADER + length);
}

function parseHello(hello: Reader): Opening {
  try {
    hello.take(2 + 32);
    hello.takeVector(1);
    hello.takeVector(2);
    hello.takeVector(1);
    const extensions = hello.isAtEnd() ? [] : readExtensions(hello);
    return { kind: 'hello', serverName: findServerName(extensions) };
  } catch (error) {
    if (error instanceof RangeError) return NO_HELLO;
    throw error;
  }
}

interface Extension {
  readonly type: number;
  readonly content: Reader;
}

function readExtensions(hello: Reader): Extension[] {
  const list = hello.takeVector(2);
  hello.requireEnd();
  const extensions: Extension[] = [];
  while (!list.isAtEnd()) extensions.push({ type: list.takeNumber(2), content: list.takeVector(2) });
  return extensions;
}

const SERVER_NAME = 0;
const HOST_NAME = 0;

/** RFC 6066, 3. More than one name is allowed there, but only attackers use that, to make two parties read different names. */
function findServerName(extensions: readonly Extension[]): string | null {
  const [found, second] = extensions.filter(({ type }) => type === SERVER_NAME);
  if (!found) return null;
  if (second) throw new RangeError('two lists of names');
  const list = found.content.takeVector(2);
  found.content.requireEnd();
  if (list.takeNumber(1) !== HOST_NAME) throw new RangeError('not the name of a host');
  const name = list.takeVector(2);
  list.requireEnd();
  return name.rest().toString('latin1');
}

/** Takes one piece after the other; a RangeError where there is none left. */
class Reader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  take(length: number): Buffer {
    if (this.#at + length > this.bytes.length) throw new RangeError('cut off');
    this.#at += length;
    return this.bytes.subarray(this.#at - length, this.#at);
  }

  takeNumber(bytes: number): number {
    return this.take(bytes).readUIntBE(0, bytes);
  }

  /** Content with its length before it. */
  takeVector(lengthBytes: number): Reader {
    return new Reader(this.take(this.takeNumber(lengthBytes)));
  }

  rest(): Buffer {
    return this.take(this.bytes.length - this.#at);
  }

  isAtEnd(): boolean {
    return this.#at === this.bytes.length;
  }

  requireEnd(): void {
    if (!this.isAtEnd()) throw new RangeError('something follows');
  }
}
