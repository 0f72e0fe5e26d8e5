import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/**
 * Creates certificates (X.509 version 3, RFC 5280), which Node can read but not create. One kind only: P-256 keys, signed
 * with ECDSA and SHA-256, for a certificate authority and for one host that it signs.
 */
export interface CertificateRequest {
  /** What it is for: a host, or the name of an authority. */
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly issuer: { readonly name: string; readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly isAuthority: boolean;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** Returns PEM. */
export function makeCertificate(request: CertificateRequest): string {
  const body = describe(request);
  const signature = sign('sha256', body, request.issuer.privateKey);
  const whole = sequence(body, ECDSA_WITH_SHA256, bitString(signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function describe({ name, publicKey, issuer, isAuthority, from, until }: CertificateRequest): Buffer {
  return sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    ECDSA_WITH_SHA256,
    commonName(issuer.name),
    sequence(time(from), time(until)),
    // A name too long for a common name is only in the alternative names.
    isAuthority || name.length <= 64 ? commonName(name) : sequence(),
    encodeKey(publicKey),
    tagged(3, sequence(...extensions({ name, publicKey, issuer, isAuthority }))),
  );
}

function extensions({
  name,
  publicKey,
  issuer,
  isAuthority,
}: Pick<CertificateRequest, 'name' | 'publicKey' | 'issuer' | 'isAuthority'>): Buffer[] {
  const identifiers = [
    extension('2.5.29.14', false, octets(identify(publicKey))),
    extension('2.5.29.35', false, sequence(element(0x80, identify(issuer.publicKey)))),
  ];
  if (isAuthority) {
    // Signs hosts only, no further authorities.
    const basic = sequence(TRUE, integer(Buffer.from([0])));
    return [
      extension('2.5.29.19', true, basic),
      extension('2.5.29.15', true, SIGNS_CERTIFICATES),
      ...identifiers,
    ];
  }
  return [
    extension('2.5.29.19', true, sequence()),
    extension('2.5.29.15', true, SIGNS_DATA),
    extension('2.5.29.37', false, sequence(identifier('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.17', name.length > 64, sequence(alternativeName(name))),
    ...identifiers,
  ];
}

const alternativeName = (host: string): Buffer =>
  isIP(host) === 0 ? element(0x82, Buffer.from(host)) : element(0x87, addressBytes(host));

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const zeros = Array(8 - groups(head).length - groups(tail ?? '').length).fill('0');
  const all = tail === undefined ? groups(head) : [...groups(head), ...zeros, ...groups(tail)];
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex');
}

const identify = (key: KeyObject): Buffer =>
  createHash('sha256').update(encodeKey(key)).digest().subarray(0, 20);
const encodeKey = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

// DER (X.690): a tag, the length of the content, the content.

function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 255 ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

/** Positive: the first bit is the sign. Of a random number the first byte is never zero. */
function integer(bytes: Buffer): Buffer {
  const positive = Buffer.from(bytes);
  if (positive.length > 1) positive[0] = ((positive[0] ?? 0) & 0x7f) | 0x40;
  return element(0x02, positive);
}

function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(baseOf128)]));
}

function baseOf128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

function bitString(content: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.from([unusedBits]), content]));
}

const octets = (content: Buffer): Buffer => element(0x04, content);
const tagged = (number: number, content: Buffer): Buffer => element(0xa0 | number, content);
const extension = (name: string, isCritical: boolean, value: Buffer): Buffer =>
  sequence(identifier(name), ...(isCritical ? [TRUE] : []), octets(value));

const commonName = (name: string): Buffer =>
  sequence(element(0x31, sequence(identifier('2.5.4.3'), element(0x0c, Buffer.from(name)))));

/** Years from 2050 on have another form (RFC 5280, 4.1.2.5). */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return at < Date.UTC(2050, 0)
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}

const TRUE = element(0x01, Buffer.from([0xff]));
const ECDSA_WITH_SHA256 = sequence(identifier('1.2.840.10045.4.3.2'));
const SIGNS_DATA = bitString(Buffer.from([0x80]), 7);
const SIGNS_CERTIFICATES = bitString(Buffer.from([0x06]), 1);
