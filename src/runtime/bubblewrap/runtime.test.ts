import { beforeEach } from 'vitest';
import { flavours } from '../../../test/helpers/flavours.js';
import { makeBubblewrapPlace } from '../../../test/helpers/sandbox/runtime.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { runtimeContract } from '../contract.js';

beforeEach(requireBubblewrap);

for (const user of flavours<'an ordinary user' | undefined>(undefined, 'an ordinary user'))
  runtimeContract(user ? `bubblewrap of ${user}` : 'bubblewrap', async () => makeBubblewrapPlace(user));
