import { expect, test } from 'vitest';
import { parseAllowList } from './allow-list.js';
import { parseAuthority } from './network-target.js';
import { lookUp, type Permission, requestPermission } from './permission.js';

async function ask(entry: string, authority: string, addresses: readonly string[] = []): Promise<Permission> {
  const target = parseAuthority(authority);
  if (!target) throw new Error(`no target: ${authority}`);
  return requestPermission(parseAllowList([entry]), target, async () => addresses);
}

const REFUSED_ADDRESS = { kind: 'refused', reason: 'internal-address' };

test('a name of the list is allowed at exactly its addresses', async () => {
  expect(await ask('good.test', 'good.test:443', ['1.1.1.1', '2606:4700::1'])).toEqual({
    kind: 'granted',
    addresses: ['1.1.1.1', '2606:4700::1'],
  });
});

test('one internal address among public ones is enough to refuse a name', async () => {
  expect(await ask('good.test', 'good.test:443', ['1.1.1.1', '10.0.0.1'])).toEqual(REFUSED_ADDRESS);
  expect(await ask('*.test', 'good.test:443', ['::ffff:127.0.0.1'])).toEqual(REFUSED_ADDRESS);
});

test('a name that is not listed is not looked up', async () => {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return ['1.1.1.1'];
  };
  const list = parseAllowList(['good.test']);
  const bad = await requestPermission(list, { host: 'secret.evil.test', port: 443 }, resolve);
  expect(bad).toEqual({ kind: 'refused', reason: 'not-allowed' });
  expect(asked).toEqual([]);
  await requestPermission(list, { host: 'good.test', port: 443 }, resolve);
  expect(asked).toEqual(['good.test']);
});

test('an internal address that is listed is allowed, and so is localhost', async () => {
  expect(await ask('10.0.0.1:8080', '10.0.0.1:8080')).toEqual({ kind: 'granted', addresses: ['10.0.0.1'] });
  expect(await ask('localhost:8080', 'localhost:8080', ['8.8.8.8'])).toEqual({
    kind: 'granted',
    addresses: ['127.0.0.1', '::1'],
  });
});

test('an address of this machine is refused, also a public one', async () => {
  const list = parseAllowList(['good.test']);
  const target = { host: 'good.test', port: 443 };
  const resolve = async () => ['1.1.1.1'];
  expect(await requestPermission(list, target, resolve, () => ['8.8.8.8'])).toMatchObject({
    kind: 'granted',
  });
  expect(await requestPermission(list, target, resolve, () => ['1.1.1.1'])).toEqual(REFUSED_ADDRESS);
});

test('no addresses, a failed lookup and invalid answers count as an unknown name', async () => {
  const list = parseAllowList(['good.test']);
  const target = { host: 'good.test', port: 443 };
  const unknown = { kind: 'unknown-name' };
  expect(await requestPermission(list, target, async () => [])).toEqual(unknown);
  expect(await requestPermission(list, target, async () => ['good.test'])).toEqual(unknown);
  expect(await requestPermission(list, target, () => Promise.reject(new Error('ENOTFOUND')))).toEqual(
    unknown,
  );
});

test("the system's own lookup returns addresses", async () => {
  expect(await lookUp('localhost')).toContain('127.0.0.1');
});
