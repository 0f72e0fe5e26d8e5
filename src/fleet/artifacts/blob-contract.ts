import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { bytesSource, hashBytes } from './blob-source.js';
import type { BlobStore } from './blob-store.js';
import { downloadBlob } from './download-blob.js';

/** A store under test, and what a test can do to it. */
export interface BlobSubject {
  readonly store: BlobStore;
  /** Replaces the bytes that it has. */
  damage(hash: string, bytes: Buffer): Promise<void>;
  goAway(): void;
  comeBack(): void;
  /** Of a store that has one. */
  readonly network?: BlobNetwork | undefined;
}

export interface BlobNetwork {
  /** Accepts connections and does not answer. */
  stall(): void;
  /** The next transfer breaks after that many bytes. */
  cut(direction: 'up' | 'down', bytes: number): void;
  sent(): number;
  received(): number;
  /** Whether an upload continues where it stopped. */
  readonly continuesUploads: boolean;
}

export interface BlobSetup {
  requires?(context: { skip(note?: string): never }): void;
  /** Whether it is behind a network, so that `network` is there. */
  readonly hasNetwork: boolean;
  /** A new store. */
  open(): Promise<BlobSubject>;
  /** A directory that is removed after the test. */
  createDirectory(): string;
}

/** Test suite for what every store of blobs must guarantee. */
export function blobContract(name: string, { requires, open, hasNetwork, createDirectory }: BlobSetup): void {
  describe(`the blob contract, by ${name}`, () => {
    beforeEach(context => requires?.(context));

    const bytes = randomBytes(3_000_000);
    const hash = hashBytes(bytes);
    const source = bytesSource(bytes);
    const download = async (store: BlobStore, wanted = hash) => {
      const file = join(createDirectory(), 'blob');
      await downloadBlob(store, wanted, file);
      return readFileSync(file);
    };

    const soon = () => ({ deadline: Date.now() + 300 });
    const openNetwork = async () => {
      const { store, network } = await open();
      if (!network) throw new Error('expected a network');
      return { store, network };
    };

    test('a blob is there after it was put, and again has no effect', async () => {
      const { store } = await open();
      expect(await store.has([hash])).toEqual(new Set());
      await store.put(hash, source);
      await store.put(hash, source);
      expect(await store.has(['0'.repeat(64), hash])).toEqual(new Set([hash]));
      expect((await download(store)).equals(bytes)).toBe(true);
    });

    test('an empty blob is a blob', async () => {
      const { store } = await open();
      const none = Buffer.alloc(0);
      await store.put(hashBytes(none), bytesSource(none));
      expect(await download(store, hashBytes(none))).toEqual(none);
    });

    test('two writers at once do not disturb each other', async () => {
      const { store } = await open();
      await Promise.all([store.put(hash, source), store.put(hash, source), store.put(hash, source)]);
      expect((await download(store)).equals(bytes)).toBe(true);
    });

    test('a sender that is wrong about a hash stores nothing', async () => {
      const { store } = await open();
      const wrong = '1'.repeat(64);
      await expect(store.put(wrong, source)).rejects.toMatchObject({ code: 'BLOB_CORRUPT' });
      expect(await store.has([wrong])).toEqual(new Set());
    });

    test('bytes that changed in the store, or are too few, are not used', async () => {
      for (const changed of [randomBytes(3_000_000), bytes.subarray(0, 1_000_000)]) {
        const { store, damage } = await open();
        await store.put(hash, source);
        await damage(hash, changed);
        const file = join(createDirectory(), 'blob');
        await expect(downloadBlob(store, hash, file)).rejects.toMatchObject({ code: 'BLOB_CORRUPT' });
        expect(existsSync(file)).toBe(false);
        expect(readdirSync(join(file, '..'))).toEqual([]);
      }
    });

    test('a missing blob is reported at once', async () => {
      const { store } = await open();
      const asked = download(store, '2'.repeat(64));
      await expect(asked).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    });

    test('more bytes than the reader allows are refused', async () => {
      const { store } = await open();
      await store.put(hash, source);
      const file = join(createDirectory(), 'blob');
      const asked = downloadBlob(store, hash, file, { limitBytes: 1000 });
      await expect(asked).rejects.toMatchObject({ code: 'BLOB_TOO_LARGE' });
    });

    test('a store that is away is one clear error after the deadline, and works when it is back', async () => {
      const { store, goAway, comeBack } = await open();
      goAway();
      const away = { code: 'BLOB_STORE_AWAY', message: expect.stringContaining(store.name) };
      await expect(store.put(hash, source, soon())).rejects.toMatchObject(away);
      await expect(store.has([hash], { deadline: Date.now() })).rejects.toMatchObject(away);
      const waiting = store.put(hash, source, { deadline: Date.now() + 20_000 });
      comeBack();
      await waiting;
      expect(await store.has([hash])).toEqual(new Set([hash]));
    });

    test('waiting for a store that is away can be stopped', async () => {
      const { store, goAway } = await open();
      goAway();
      const stop = new AbortController();
      const waiting = store.put(hash, source, { signal: stop.signal, deadline: Date.now() + 60_000 });
      stop.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
    });

    if (!hasNetwork) return;

    test('a store that does not answer counts as away', async () => {
      const { store, network } = await openNetwork();
      network.stall();
      await expect(store.has([hash], soon())).rejects.toMatchObject({ code: 'BLOB_STORE_AWAY' });
    });

    test('a broken upload is finished, and continues where it stopped', async () => {
      const { store, network } = await openNetwork();
      network.cut('up', 2_000_000);
      await store.put(hash, source);
      expect((await download(store)).equals(bytes)).toBe(true);
      if (network.continuesUploads) expect(network.sent()).toBeLessThan(3_500_000);
    });

    test('a broken download continues where it stopped', async () => {
      const { store, network } = await openNetwork();
      await store.put(hash, source);
      network.cut('down', 2_000_000);
      expect((await download(store)).equals(bytes)).toBe(true);
      expect(network.received()).toBeLessThan(3_500_000);
    });
  });
}
