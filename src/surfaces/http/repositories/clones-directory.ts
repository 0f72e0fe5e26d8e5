import { join } from 'node:path';
import type { Places } from '../../../operations/context.js';

/** The directory for the clones of repositories that were named by a URL. */
export const clonesDirectory = ({ stateDir }: Places): string => join(stateDir, 'repositories');
