import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** A connection to a port of this machine; paused, so that nothing is read yet. */
export interface Client {
  readonly socket: Socket;
  readonly port: number;
}

/** A connection from the relay inside that waits for a client. */
export interface Offer {
  readonly socket: Socket;
  /** Sends the relay the port; when it has connected, both are joined, until both have closed or either fails. */
  take(client: Client, onJoined: () => void): void;
}

/** What the relay writes when it has connected; what follows is from the server. */
const CONNECTED = '+';

/** Ten ports with commas have 59. */
const LONGEST_LINE = 80;

/** Until it is joined, every line is a list of the ports that have a server. */
export function receiveOffer(socket: Socket, onPorts: (list: string) => void): Offer {
  let text = '';
  let join: ((rest: Buffer) => void) | undefined;
  const read = (chunk: Buffer): void => {
    text += chunk.toString('latin1');
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      if (line === CONNECTED && join) {
        join(Buffer.from(text, 'latin1'));
        return;
      }
      onPorts(line);
    }
    if (text.length > LONGEST_LINE) socket.destroy();
  };
  socket.on('data', read);
  // A relay that closes before it has connected has nothing more to say.
  const giveUp = () => socket.destroy();
  socket.on('end', giveUp);
  return {
    socket,
    take({ socket: client, port }, onJoined) {
      const reset = () => client.resetAndDestroy();
      socket.once('close', reset);
      client.once('close', giveUp);
      socket.write(String(port).padStart(5, '0'));
      join = rest => {
        socket.off('data', read).off('end', giveUp).off('close', reset).pause();
        client.off('close', giveUp);
        if (rest.length > 0) socket.unshift(rest);
        onJoined();
        joinBoth(client, socket);
      };
    },
  };
}

function joinBoth(one: Socket, other: Socket): void {
  const endBoth = (error: Error | null | undefined): void => {
    if (!error) return;
    one.destroy();
    other.destroy();
  };
  pipeline(one, other, endBoth);
  pipeline(other, one, endBoth);
}
