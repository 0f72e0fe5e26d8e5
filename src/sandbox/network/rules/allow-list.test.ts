import { expect, test } from 'vitest';
import { findAllowed, parseAllowList } from './allow-list.js';
import { parseAuthority } from './network-target.js';

function allows(entries: readonly string[], authority: string): boolean {
  const target = parseAuthority(authority);
  if (!target) throw new Error(`no target: ${authority}`);
  return findAllowed(parseAllowList(entries), target) !== undefined;
}

test('an entry without a port allows 443 and 80, one with a port only that', () => {
  expect(allows(['example.com'], 'example.com:443')).toBe(true);
  expect(allows(['example.com'], 'example.com:80')).toBe(true);
  expect(allows(['example.com'], 'example.com:22')).toBe(false);
  expect(allows(['example.com:8443'], 'example.com:8443')).toBe(true);
  expect(allows(['example.com:8443'], 'example.com:443')).toBe(false);
});

test('an entry allows its own host and no similar ones', () => {
  expect(allows(['example.com'], 'EXAMPLE.com.:443')).toBe(true);
  expect(allows(['example.com'], 'api.example.com:443')).toBe(false);
  expect(allows(['example.com'], 'badexample.com:443')).toBe(false);
  expect(allows(['example.com'], 'example.com.evil.com:443')).toBe(false);
  expect(allows(['example.com'], 'exampleXcom:443')).toBe(false);
});

test('a wildcard allows everything below a domain and not the domain itself', () => {
  expect(allows(['*.example.com'], 'api.example.com:443')).toBe(true);
  expect(allows(['*.example.com'], 'a.b.example.com:443')).toBe(true);
  expect(allows(['*.example.com'], 'example.com:443')).toBe(false);
  expect(allows(['*.example.com'], 'evilexample.com:443')).toBe(false);
  expect(allows(['*.example.com:8080'], 'api.example.com:443')).toBe(false);
});

test('an address is allowed by an entry that is this address, in any notation', () => {
  expect(allows(['10.0.0.5:8080'], '10.0.0.5:8080')).toBe(true);
  expect(allows(['10.0.0.5:8080'], '0x0a000005:8080')).toBe(true);
  expect(allows(['[::1]:8080'], '[0:0:0:0:0:0:0:1]:8080')).toBe(true);
  expect(allows(['localhost:8080'], '127.0.0.1:8080')).toBe(false);
  expect(allows(['127.0.0.1:8080'], '[::ffff:127.0.0.1]:8080')).toBe(false);
});

test('a name beyond ASCII allows its encoded form', () => {
  expect(allows(['münchen.example'], 'xn--mnchen-3ya.example:443')).toBe(true);
  expect(allows(['*.MÜNCHEN.example:81'], 'a.xn--mnchen-3ya.example:81')).toBe(true);
});

test('only the machine itself and addresses that are named may be internal', () => {
  const mayBeInternal = (entry: string) => parseAllowList([entry])[0]?.mayBeInternal;
  expect(mayBeInternal('localhost:8080')).toBe(true);
  expect(mayBeInternal('192.168.0.7')).toBe(true);
  expect(mayBeInternal('intranet.example')).toBe(false);
  expect(mayBeInternal('*.localhost')).toBe(false);
});

test.each([
  '',
  '*',
  '*.',
  'https://example.com',
  'example.com/x',
  'example.com:0',
  'a b',
  '*.10.0.0.1',
  'x@y',
])('the entry "%s" is refused as ambiguous', entry => {
  const refusal = { code: 'NETWORK_UNAVAILABLE', message: expect.stringContaining(`"${entry}"`) };
  expect(() => parseAllowList([entry])).toThrow(expect.objectContaining(refusal));
});
