import type { RequestListener } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Api } from './api.js';
import type { Gate } from './gate.js';
import { isEventStream, sendStream } from './send-stream.js';

/** Has requests answered by the routes. */
export function createRequestListener(api: Api, { answers }: Pick<Gate, 'answers'>): RequestListener {
  const handle = async (request: Request, bindings: unknown): Promise<Response> => {
    // Those of HTTP/2, which the type has as well, come from another kind of server.
    const { incoming, outgoing } = bindings as HttpBindings;
    const response = await api.fetch(request, { incoming, outgoing });
    return isEventStream(response) && response.body ? sendStream(response, outgoing) : response;
  };
  // The adapter's own Request and Response would be everybody's in this process.
  const respond = getRequestListener(handle, { overrideGlobalObjects: false });
  return (incoming, outgoing) => {
    outgoing.once('close', answers.enter() ?? (() => undefined));
    void respond(incoming, outgoing);
  };
}
