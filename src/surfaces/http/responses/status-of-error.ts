import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { CarrelError, ErrorKind } from '../../../domain/error/error.js';
import type { ErrorCode } from '../../../domain/error/error-catalog.js';

/** The only place that maps errors to statuses. */
export const statusOfError = ({ code, kind }: CarrelError): ContentfulStatusCode =>
  byCode[code] ?? byKind[kind];

const byKind: Readonly<Record<ErrorKind, ContentfulStatusCode>> = {
  user: 400,
  config: 400,
  'not-found': 404,
  conflict: 409,
  environment: 503,
  failed: 422,
  internal: 500,
};

const byCode: Readonly<Partial<Record<ErrorCode, ContentfulStatusCode>>> = {
  UNAUTHENTICATED: 401,
  REQUEST_REFUSED: 403,
  REPOSITORY_NOT_ALLOWED: 403,
  BODY_TOO_LARGE: 413,
  BLOB_TOO_LARGE: 413,
  // Sending the same bytes again does not help.
  BLOB_CORRUPT: 422,
  BLOB_QUOTA_REACHED: 507,
  MEDIA_TYPE_UNSUPPORTED: 415,
  TOO_MANY_REQUESTS: 429,
  // The request is valid except for a value.
  INVALID_NAME: 422,
  INVALID_DURATION: 422,
  INVALID_SIZE: 422,
  INVALID_INPUT: 422,
  INVALID_BRANCH: 422,
  NOT_A_REPOSITORY: 422,
  UNKNOWN_BASE: 422,
};
