import { makeBubblewrapPlace } from '../../../test/helpers/runtime.js';
import { runtimeContract } from '../contract.js';

runtimeContract('bubblewrap', async () => makeBubblewrapPlace());
runtimeContract('bubblewrap of an ordinary user', async () => makeBubblewrapPlace('an ordinary user'));
