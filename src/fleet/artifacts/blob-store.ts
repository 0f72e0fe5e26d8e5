import type { Readable } from 'node:stream';

/**
 * Blobs by content: a blob's name is the SHA-256 of its bytes, in hex. So writing is idempotent, two writers of one
 * blob do not disturb each other, and a reader notices every wrong byte. A store that does not answer is asked again,
 * with growing pauses, until the deadline of the call: BLOB_STORE_AWAY then. All calls may run concurrently.
 */
export interface BlobStore {
  /** For messages: `the hub https://…`. */
  readonly name: string;
  /** Which of them are there, whole. */
  has(hashes: readonly string[], options?: BlobOptions): Promise<ReadonlySet<string>>;
  /**
   * Stores a blob, unless it is there. The bytes are checked here before they are sent, and by the store before they
   * are readable: BLOB_CORRUPT. An interrupted upload continues where it stopped, where the store can do that.
   * BLOB_TOO_LARGE, BLOB_QUOTA_REACHED, BLOB_STORE_REFUSED.
   */
  put(hash: string, source: BlobSource, options?: BlobOptions): Promise<void>;
  /** The bytes from `from` on, unchecked: downloadBlob checks them. BLOB_MISSING. */
  get(hash: string, options?: BlobOptions & { readonly from?: number | undefined }): Promise<Readable>;
}

export interface BlobOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds since 1970; the patience of the store by default. */
  readonly deadline?: number | undefined;
}

/** Bytes that can be read again: a broken connection must not lose them. */
export interface BlobSource {
  readonly size: number;
  /** From `start` up to, but not including, `end`. */
  open(start: number, end: number): Readable;
}

/** The only thing of a request that becomes part of a path. */
export const isBlobHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
