import { join } from 'node:path';
import type { Places } from '../../operations/context.js';

/** Where a server keeps the clones of repositories that were named by a url. */
export const clonesDirectory = ({ stateDir }: Places): string => join(stateDir, 'repositories');
