import { expect, it } from 'vitest';
import { parseLocalAddresses } from './local-addresses.js';
import { renderResolvConf } from './resolver.js';

it('finds the addresses of all interfaces and their broadcasts, and leaves out loopback and other machines', () => {
  const table = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     |-- 192.0.2.0
        /24 link UNICAST
Local:
  +-- 0.0.0.0/0 2 0 2
     +-- 127.0.0.0/8 2 0 2
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
           |-- 127.255.255.255
              /32 link BROADCAST
     |-- 172.17.0.1
        /32 host LOCAL
     +-- 192.0.2.0/24 2 0 1
        |-- 192.0.2.2
           /32 host LOCAL
        |-- 192.0.2.255
           /32 link BROADCAST
     |-- 10.1.0.0
        /16 host LOCAL
`;
  expect(parseLocalAddresses(table)).toEqual([
    '172.17.0.1/32',
    '192.0.2.2/32',
    '192.0.2.255/32',
    '10.1.0.0/16',
  ]);
});

it('keeps the search domains of the machine, and none of its servers', () => {
  const ofMachine =
    '# of systemd-resolved\nnameserver 127.0.0.53\nnameserver 192.0.2.53\noptions edns0 trust-ad\nsearch lan\n';
  expect(renderResolvConf(ofMachine)).toBe('nameserver 10.0.2.3\noptions edns0 trust-ad\nsearch lan\n');
});
