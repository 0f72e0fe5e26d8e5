import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor, REDACTED } from './redactor.js';
import { secretsByName, secretsGiven } from './secret-variables.js';
import { hideUrlCredentials } from './url-credentials.js';

const KEY = 'sk-ant-"api03"-Zm9v/b+r~é=';

const redactorOf = (...values: string[]) => {
  const redactor = createRedactor();
  redactor.add(values);
  return redactor;
};

const base64 = (text: string) => Buffer.from(text).toString('base64');

const FORMS: Readonly<Record<string, string>> = {
  'as it is': KEY,
  'in JSON': JSON.stringify({ text: KEY }),
  'in JSON within JSON': JSON.stringify(JSON.stringify({ text: KEY })),
  'in JSON as ASCII': JSON.stringify(KEY).replace('é', '\\u00e9'),
  'in a url': `https://host/?key=${encodeURIComponent(KEY)}`,
  'in a form': new URLSearchParams({ key: KEY }).toString(),
  'in base64': base64(KEY),
  'in base64 after one character': base64(`:${KEY}`),
  'in base64 of a login': base64(`me:${KEY}\n`),
  'in base64 for urls': Buffer.from(`??${KEY}`).toString('base64url'),
  'in hexadecimal': Buffer.from(KEY).toString('hex'),
};

for (const [how, text] of Object.entries(FORMS))
  test(`a secret is redacted ${how}`, () => {
    const redacted = redactorOf(KEY).text(`before ${text} after`);
    expect(redacted).toContain(REDACTED);
    expect(redacted).toMatch(/^before .* after$/);
    // In base64, characters at the ends hold bits of the surrounding text.
    expect(redacted.length).toBeLessThan(`before  after${REDACTED}`.length + 24);
    expect(redacted).not.toContain('api03');
  });

test('JSON stays JSON', () => {
  const line = JSON.stringify({ type: 'result', text: `the key is ${KEY}.`, n: 1 });
  expect(JSON.parse(redactorOf(KEY).text(line))).toEqual({
    type: 'result',
    text: `the key is ${REDACTED}.`,
    n: 1,
  });
});

test('short values are left alone', () => {
  expect(redactorOf('1', 'true', 'dev', 'test', '1234567').text('1 true dev test 1234567')).toBe(
    '1 true dev test 1234567',
  );
  expect(redactorOf('12345678').text('at 12345678')).toBe(`at ${REDACTED}`);
});

test('of two secrets with a common prefix the longer one is redacted as a whole, even when it comes in pieces', () => {
  const redactor = redactorOf('abcdefgh', 'abcdefghijkl');
  expect(redactor.text('abcdefghijkl abcdefghx')).toBe(`${REDACTED} ${REDACTED}x`);
  const stream = redactor.stream();
  const pieces = ['abcdefgh', 'ijkl abcd', 'efgh'].map(piece => stream.add(Buffer.from(piece)).toString());
  expect(pieces.join('') + stream.end()).toBe(`${REDACTED} ${REDACTED}`);
});

test('the lines of a private key are redacted one by one', () => {
  const lines = [
    '-----BEGIN KEY-----',
    'MIIEvQIBADANBgkqhkiG9w0B',
    'AQEFAASCBKcwggSjAgEAAoIB',
    '-----END KEY-----',
  ];
  const redactor = redactorOf(`${lines.join('\n')}\n`);
  expect(lines.map(redactor.text)).toEqual([lines[0], REDACTED, REDACTED, lines[3]]);
});

test('a secret that is split anywhere is redacted from a stream, and everything else passes through', () => {
  const other = fc.string({ unit: fc.constantFrom('s', 'k', '-', 'a', '"', 'é', '\n', 'Z', ' ') });
  const form = fc.constantFrom(KEY, JSON.stringify(KEY), base64(KEY), encodeURIComponent(KEY));
  const text = fc.array(fc.oneof(other, form), { maxLength: 6 }).map(parts => parts.join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 40 }), { maxLength: 20 }), (content, cuts) => {
      const redactor = redactorOf(KEY);
      const stream = redactor.stream();
      const out: Buffer[] = [];
      let rest = Buffer.from(content);
      for (const cut of cuts) {
        out.push(stream.add(rest.subarray(0, cut)));
        rest = rest.subarray(cut);
      }
      out.push(stream.add(rest), stream.end());
      expect(Buffer.concat(out).toString()).toBe(redactor.text(content));
    }),
  );
});

test('nothing is held back that cannot be the start of a secret', () => {
  const stream = redactorOf('sk-ant-secret').stream();
  expect(stream.add(Buffer.from('data: {"a":1}\n\n')).toString()).toBe('data: {"a":1}\n\n');
  expect(stream.add(Buffer.from('ask')).toString()).toBe('a');
  expect(stream.add(Buffer.from(' me')).toString()).toBe('sk me');
});

test('bytes that are not text pass through unchanged', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  const stream = redactorOf(KEY).stream();
  expect(Buffer.concat([stream.add(bytes), stream.end()])).toEqual(bytes);
});

test('strings anywhere in a value are redacted', () => {
  const redactor = redactorOf('supersecret');
  expect(redactor.within({ a: ['x supersecret'], b: { supersecret: 1, c: null } })).toEqual({
    a: [`x ${REDACTED}`],
    b: { [REDACTED]: 1, c: null },
  });
});

test('credentials in urls are hidden, and addresses stay readable', () => {
  expect(hideUrlCredentials("fatal: 'https://me:pa%20ss@host.example/a.git/' not found")).toBe(
    "fatal: 'https://me:[redacted]@host.example/a.git/' not found",
  );
  expect(hideUrlCredentials('https://ghp_0123456789abcdefghij@github.com/a')).toBe(
    'https://[redacted]@github.com/a',
  );
  for (const harmless of [
    'ssh://git@host/a',
    'git@host:a/b',
    'http://localhost:8080/@scope/x',
    'a@b.example',
  ])
    expect(hideUrlCredentials(harmless)).toBe(harmless);
});

test('of variables that are passed on, settings are not secrets', () => {
  const settings = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'information',
    ANTHROPIC_BASE_URL: 'https://gateway.example:8443/v1',
    SSH_AUTH_SOCK: '/tmp/ssh-agent/agent.123',
    MAX_TOKENS: '100000000',
    MODEL: 'claude-sonnet-4-5',
  };
  expect(secretsGiven(settings)).toEqual([]);
  expect(secretsByName(settings)).toEqual([]);
  const secrets = {
    DB_PASSWORD: 'correcthorse',
    LICENCE: 'a81f-99d2-0031-beef-77',
    LOGIN: 'hunter2-again',
    GH_TOKEN: 'ghp_abc123',
  };
  expect(secretsGiven(secrets)).toEqual(Object.values(secrets));
  expect(secretsByName(secrets)).toEqual(['correcthorse', 'ghp_abc123']);
});
