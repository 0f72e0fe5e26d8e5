import { createHash, createHmac } from 'node:crypto';

/** A bucket of an S3-compatible store, and who may use it. */
export interface Bucket {
  /** `https://s3.eu-central-1.amazonaws.com`, `http://localhost:9000`. The bucket is the first part of the path. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface PresignRequest {
  readonly method: string;
  /** Without a leading slash. */
  readonly key: string;
  /** Sent with the request, and covered by the signature. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly expiresSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Virtual-hosted style puts the bucket into the host name; `endpoint` has it already then. */
  readonly isHosted?: boolean | undefined;
}

/** A URL that allows one request for a while, by AWS Signature Version 4 in the query. */
export function presign(bucket: Bucket, request: PresignRequest): string {
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken } = bucket;
  const { method, key, headers = {}, expiresSeconds, now, isHosted } = request;
  const url = new URL(endpoint);
  const parts = [...(isHosted ? [] : [bucket.bucket]), ...key.split('/')];
  const path = `/${parts.map(encode).join('/')}`;
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const scope = `${stamp.slice(0, 8)}/${region}/s3/aws4_request`;
  const signed = { ...headers, host: url.host };
  const names = Object.keys(signed).sort();
  const query = formatQuery({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': stamp,
    'X-Amz-Expires': String(expiresSeconds),
    ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': names.join(';'),
  });
  const lines = names.map(name => `${name}:${signed[name as keyof typeof signed]}\n`).join('');
  const canonical = [method, path, query, lines, names.join(';'), 'UNSIGNED-PAYLOAD'].join('\n');
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key4 = [...scope.split('/')].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key4, text).toString('hex');
  return `${url.origin}${path}?${query}&X-Amz-Signature=${signature}`;
}

const formatQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');

/** RFC 3986: stricter than encodeURIComponent. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    found => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
