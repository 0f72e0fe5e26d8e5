import { z } from 'zod';

/** The SHA-256 of a blob, which is its name. */
export const BlobHashSchema = z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits');
