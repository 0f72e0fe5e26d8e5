import { expect, test } from 'vitest';
import { presign } from './presign.js';

/** The example of the AWS documentation: "Authenticating Requests: Using Query Parameters". */
test('signs as the documentation of S3 does', () => {
  const bucket = {
    endpoint: 'https://examplebucket.s3.amazonaws.com',
    bucket: 'examplebucket',
    region: 'us-east-1',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const url = presign(bucket, {
    method: 'GET',
    key: 'test.txt',
    expiresSeconds: 86_400,
    now: Date.UTC(2013, 4, 24),
    isHosted: true,
  });
  expect(new URL(url).searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('the names of buckets and objects, and the token of a session, are encoded', () => {
  const bucket = {
    ...{ endpoint: 'http://localhost:9000', bucket: 'a b', region: 'r' },
    ...{ accessKeyId: 'id', secretAccessKey: 'key', sessionToken: 'a/b+c=' },
  };
  const url = presign(bucket, { method: 'PUT', key: "x/y*('", expiresSeconds: 60, now: 0 });
  expect(url).toContain('http://localhost:9000/a%20b/x/y%2A%28%27?');
  expect(url).toContain('X-Amz-Security-Token=a%2Fb%2Bc%3D&');
});
