import { beforeEach, expect, test } from 'vitest';
import {
  openClosedNetwork,
  requireBubblewrap,
  requireProgram,
  runInside,
  serveHttp,
} from '../../../test/helpers/closed-network.js';

beforeEach(context => requireBubblewrap(context));

test('curl inside reaches a host of the list and no other', async context => {
  requireProgram(context, 'curl');
  const port = await serveHttp((message, answer) => answer.end(`${message.headers.host} ${message.url}`));
  const network = await openClosedNetwork({ allow: ['good.test'], servers: { 'good.test:80': port } });

  const good = await runInside(network, ['curl', '-sS', 'http://good.test/a?b']);
  const bad = await runInside(network, ['curl', '-sS', 'http://bad.test/']);

  expect(good).toMatchObject({ status: 0, stdout: 'good.test /a?b', stderr: '' });
  expect(bad).toMatchObject({ status: 0, stdout: 'carrel: bad.test:80 is not among the hosts of sandbox.allow\n' });
  expect(network.refused()).toEqual(['bad.test:80 not-allowed']);
  expect(network.refusals()).toBe(1);
});
