import { makeHostPlace } from '../../../test/helpers/sandbox/runtime.js';
import { runtimeContract } from '../contract.js';

runtimeContract('host', async () => makeHostPlace(), {
  isolating: 'nothing is between a command and the machine',
});
