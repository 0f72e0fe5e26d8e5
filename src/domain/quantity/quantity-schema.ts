import { z } from 'zod';
import { isDuration, isSize } from './quantity.js';

// The messages complete the sentence "... is X; expected".
const DURATION = 'a duration such as 90s, 15m, 12h or 7d';
const SIZE = 'a size such as 512k, 512m or 2g';

export const DurationSchema = z.string(DURATION).refine(isDuration, DURATION);

export const SizeSchema = z.string(SIZE).refine(isSize, SIZE);
