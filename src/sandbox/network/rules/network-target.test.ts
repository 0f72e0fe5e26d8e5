import { expect, test } from 'vitest';
import { formatTarget, parseAuthority } from './network-target.js';

const read = (text: string, defaultPort?: number) => {
  const target = parseAuthority(text, defaultPort);
  return target && formatTarget(target);
};

test('a host and a port are normalized', () => {
  expect(read('api.example.com:443')).toBe('api.example.com:443');
  expect(read('API.Example.COM.:0443')).toBe('api.example.com:443');
  expect(read('a_b.example.com', 80)).toBe('a_b.example.com:80');
  expect(read('xn--mnchen-3ya.example:443')).toBe('xn--mnchen-3ya.example:443');
});

test.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
])('the notation %s is the address 127.0.0.1', text => expect(read(text, 80)).toBe('127.0.0.1:80'));

test('an IPv6 address is read in brackets, in its shortest spelling', () => {
  expect(read('[::1]:80')).toBe('[::1]:80');
  expect(read('[2001:0DB8:0:0:0:0:0:1]:80')).toBe('[2001:db8::1]:80');
  expect(read('[::ffff:127.0.0.1]:80')).toBe('[::ffff:7f00:1]:80');
});

test.each([
  ['nothing', ''],
  ['no port', 'example.com'],
  ['no host', ':443'],
  ['port 0', 'example.com:0'],
  ['a port that is too high', 'example.com:65536'],
  ['a port that is not a number', 'example.com:https'],
  ['two ports', 'example.com:443:80'],
  ['a user name', 'example.com@evil.com:443'],
  ['a user name with a password', 'a:b@evil.com:443'],
  ['a path', 'example.com/x:443'],
  ['a line break', 'example.com\r\nHost: evil.com:443'],
  ['a NUL', 'example.com\0.evil.com:443'],
  ['a space', 'example.com :443'],
  ['a percent sign', 'example%2ecom:443'],
  ['letters beyond ASCII', 'exämple.com:443'],
  ['a full-width dot', 'example\u3002com:443'],
  ['an empty label', 'a..example.com:443'],
  ['a label that begins with a dash', '-x.example.com:443'],
  ['a label that is too long', `${'a'.repeat(64)}.com:443`],
  ['a name that is too long', `${'a.'.repeat(127)}com:443`],
  ['an address with five numbers', '1.2.3.4.5:443'],
  ['an address with a number that is too high', '256.0.0.1:443'],
  ['an IPv6 address without brackets', '::1:443'],
  ['an IPv6 address with a zone', '[fe80::1%lo]:443'],
  ['brackets around a name', '[example.com]:443'],
  ['brackets that do not close', '[::1:443'],
])('%s is not a target', (_what, text) => {
  expect(parseAuthority(text)).toBeUndefined();
});
