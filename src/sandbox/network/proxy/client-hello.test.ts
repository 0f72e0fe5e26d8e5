import { expect, test } from 'vitest';
import { makeHello } from '../../../../test/helpers/network/client-hello.js';
import { readOpening } from './client-hello.js';

const asked = (serverName: string | null) => ({ kind: 'hello', serverName });

test('finds the name that a real client requests', () => {
  expect(readOpening(makeHello('api.example.com'))).toEqual(asked('api.example.com'));
  expect(readOpening(makeHello(undefined))).toEqual(asked(null));
});

test('every prefix of a hello is incomplete, and nothing else', () => {
  const hello = makeHello('api.example.com');
  for (let length = 0; length < hello.length; length += 1) {
    expect(readOpening(hello.subarray(0, length)), `${length} bytes`).toEqual({ kind: 'incomplete' });
  }
});

test('a hello split into records is reassembled', () => {
  expect(readOpening(cutIntoRecords(makeHello('api.example.com'), 100))).toEqual(asked('api.example.com'));
});

test('a hello in very many records is refused: each one makes reading slower', () => {
  expect(readOpening(cutIntoRecords(makeHello('api.example.com'), 1))).toEqual({ kind: 'no-hello' });
});

test('data after the hello is ignored', () => {
  const early = Buffer.from([23, 3, 3, 0, 1, 99]);
  expect(readOpening(Buffer.concat([makeHello('a.test'), early]))).toEqual(asked('a.test'));
});

test.each([
  ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
  ['ssh', Buffer.from('SSH-2.0-x')],
  ['a record of another kind', Buffer.from([21, 3, 1, 0, 2, 1, 0])],
  ['another major version', Buffer.from([22, 2])],
  ['an empty record', Buffer.from([22, 3, 1, 0, 0])],
  ['another message', Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
  ['a hello of 15 MiB', Buffer.from([22, 3, 1, 0, 4, 1, 255, 255, 255])],
  ['a hello that ends before its parts do', Buffer.from([22, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3])],
])('%s is not a hello', (_what, bytes) => {
  expect(readOpening(bytes)).toEqual({ kind: 'no-hello' });
});

test('two names in one hello are refused, since a server may use the other one', () => {
  const name = serverNameOf('a.test');
  expect(readOpening(buildHello([name]))).toEqual(asked('a.test'));
  expect(readOpening(buildHello([name, serverNameOf('b.test')]))).toEqual({ kind: 'no-hello' });
  const two = Buffer.concat([vector(2, Buffer.concat([entryOf('a.test'), entryOf('b.test')]))]);
  expect(readOpening(buildHello([two]))).toEqual({ kind: 'no-hello' });
});

test('bytes after the end of a hello, within its record, are refused', () => {
  const hello = buildHello([serverNameOf('a.test')], Buffer.from([0]));
  expect(readOpening(hello)).toEqual({ kind: 'no-hello' });
});

/** Puts the same message into records of that many bytes. */
function cutIntoRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) records.push(record(message.subarray(at, at + size)));
  return Buffer.concat(records);
}

function buildHello(serverNames: readonly Buffer[], tail = Buffer.alloc(0)): Buffer {
  const extensions = serverNames.map(name => Buffer.concat([Buffer.from([0, 0]), vector(2, name)]));
  const parts = [Buffer.alloc(34), vector(1, Buffer.alloc(0)), vector(2, Buffer.from([19, 1]))];
  const body = [...parts, vector(1, Buffer.from([0])), vector(2, Buffer.concat(extensions)), tail];
  return record(Buffer.concat([Buffer.from([1]), vector(3, Buffer.concat(body))]));
}

const serverNameOf = (name: string): Buffer => vector(2, entryOf(name));
const entryOf = (name: string): Buffer => Buffer.concat([Buffer.from([0]), vector(2, Buffer.from(name))]);
const record = (content: Buffer): Buffer => Buffer.concat([Buffer.from([22, 3, 1]), vector(2, content)]);

function vector(lengthBytes: number, content: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(content.length, 0, lengthBytes);
  return Buffer.concat([length, content]);
}
