import { expect, test } from 'vitest';
import { isAllowedUrl } from './allowed-urls.js';
import { parseRepository } from './parse-repository.js';

test.each([
  ['/srv/code', { kind: 'directory', path: '/srv/code' }],
  ['file:///srv/my%20code.git', { kind: 'file-url', path: '/srv/my code.git' }],
  [
    'https://Example.com/team/code.git',
    { kind: 'url', protocol: 'https', url: 'https://example.com/team/code.git' },
  ],
  ['https://[::1]:8443/code', { kind: 'url', protocol: 'https', url: 'https://[::1]:8443/code' }],
  [
    'ssh://git@Example.com:22/~me/code',
    { kind: 'url', protocol: 'ssh', url: 'ssh://git@example.com:22/~me/code' },
  ],
  [
    'git@example.com:team/code.git',
    { kind: 'url', protocol: 'ssh', url: 'ssh://git@example.com/team/code.git' },
  ],
])('accepts %s', (text, expected) => {
  expect(parseRepository(text)).toEqual(expected);
});

test.each([
  'ext::sh -c touch% /tmp/pwned',
  'fd::17',
  'https::https://example.com/code',
  '--upload-pack=touch /tmp/pwned',
  '-oProxyCommand=id',
  'ssh://-oProxyCommand=id/code',
  'ssh://git@-oProxyCommand=id/code',
  'ssh://-oProxyCommand=id@example.com/code',
  '-oProxyCommand=id@example.com:code',
  'git@example.com:-u',
  'git@example.com:/-u',
  'ssh://example.com/--upload-pack=id',
  'file:///srv/%2d-upload-pack=id',
  'http://example.com/code',
  'git://example.com/code',
  'ftp://example.com/code',
  'file://example.com/srv/code',
  'https://me@example.com/code',
  'https://example.com/code?x=1',
  'https://example.com/code#x',
  'https://example.com/team/../other',
  'https://example.com/team/%2e%2e/other',
  'https://example.com/team/..%2fother',
  'https://example.com/team\\..\\other',
  'https://exa%00mple.com/code',
  'https://example.com/%0acode',
  '/srv/../etc',
  '/srv/code\n/etc',
  '../code',
  'code',
  '',
])('refuses %j', text => {
  expect(() => parseRepository(text)).toThrowError(
    expect.objectContaining({ code: 'REPOSITORY_NOT_ALLOWED' }),
  );
});

test('refuses a password, and does not repeat it', () => {
  const secret = 'https://me:geheim@example.com/code';
  expect(() => parseRepository(secret)).toThrowError(
    expect.objectContaining({ code: 'REPOSITORY_NOT_ALLOWED' }),
  );
  expect(() => parseRepository(secret)).not.toThrowError(/geheim/);
});

test('a URL prefix allows what is below it, and no neighbour', () => {
  const isAllowed = (text: string, allowed: string) => {
    const parsed = parseRepository(text);
    return parsed.kind === 'url' && isAllowedUrl(parsed.url, [allowed]);
  };
  expect(isAllowed('https://example.com/team/code', 'https://example.com/team')).toBe(true);
  expect(isAllowed('https://example.com/team/code', 'https://EXAMPLE.com/')).toBe(true);
  expect(isAllowed('git@example.com:team/code', 'git@example.com:team')).toBe(true);
  expect(isAllowed('git@example.com:team/code', 'git@example.com')).toBe(true);
  expect(isAllowed('ssh://git@example.com/team/code', 'git@example.com:')).toBe(true);
  expect(isAllowed('https://example.com/team-two/code', 'https://example.com/team')).toBe(false);
  expect(isAllowed('https://example.com.evil.example/code', 'https://example.com')).toBe(false);
  expect(isAllowed('https://example.com:444/code', 'https://example.com')).toBe(false);
  expect(isAllowed('ssh://root@example.com/team/code', 'git@example.com')).toBe(false);
  expect(isAllowed('ssh://example.com/code', 'https://example.com')).toBe(false);
});
