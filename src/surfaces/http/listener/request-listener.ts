import type { RequestListener } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Api } from '../api.js';
import { isEventStream, sendStream } from '../responses/send-stream.js';
import type { Gate } from '../security/request-gate.js';

/** Passes requests to the routes. */
export function createRequestListener(api: Api, { answers }: Pick<Gate, 'answers'>): RequestListener {
  const handle = async (request: Request, bindings: unknown): Promise<Response> => {
    // The type includes HTTP/2 requests, which come from another kind of server.
    const { incoming, outgoing } = bindings as HttpBindings;
    const response = await api.fetch(request, { incoming, outgoing });
    return isEventStream(response) && response.body ? sendStream(response, outgoing) : response;
  };
  // The adapter would replace the global Request and Response of this process.
  const respond = getRequestListener(handle, { overrideGlobalObjects: false });
  return (incoming, outgoing) => {
    outgoing.once('close', answers.enter() ?? (() => undefined));
    void respond(incoming, outgoing);
  };
}
