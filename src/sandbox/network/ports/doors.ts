import { createServer, type Server, type Socket } from 'node:net';

export interface DoorOptions {
  /** No other port is ever opened. */
  readonly ports: readonly number[];
  readonly onClient: (socket: Socket, port: number) => void;
  /** Called once for each port that another program has. */
  readonly onTaken: (port: number) => void;
  /** Whether that program may be a Carrel that forwards to the same servers. */
  readonly isShared: () => Promise<boolean>;
}

/** Listeners on ports of 127.0.0.1. */
export interface Doors {
  /** Opens the listed ports and closes the others, soon. */
  want(ports: readonly number[]): void;
  close(): void;
}

/** However often a process inside changes the list. */
const SOON_MS = 20;
/** For a port that another program has. */
const AGAIN_MS = 1_000;

export function createDoors({ ports, onClient, onTaken, isShared }: DoorOptions): Doors {
  const open = new Map<number, Server>();
  const reported = new Set<number>();
  let wanted: readonly number[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const updateIn = (ms: number): void => {
    if (!isClosed) timer ??= setTimeout(update, ms);
  };

  function update(): void {
    timer = undefined;
    for (const [port, server] of open) if (!wanted.includes(port)) closeDoor(port, server);
    for (const port of wanted) if (!open.has(port)) openDoor(port);
  }

  function openDoor(port: number): void {
    const options = { allowHalfOpen: true, pauseOnConnect: true, noDelay: true };
    const server = createServer(options, socket => onClient(socket, port));
    open.set(port, server);
    server.on('error', () => {
      if (open.get(port) === server) closeDoor(port, server);
      report(port).catch(() => onTaken(port));
      updateIn(AGAIN_MS);
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true });
  }

  function closeDoor(port: number, server: Server): void {
    open.delete(port);
    server.close();
  }

  async function report(port: number): Promise<void> {
    if (reported.has(port)) return;
    reported.add(port);
    if (await isShared()) reported.delete(port);
    else if (!isClosed) onTaken(port);
  }

  return {
    want(list) {
      wanted = ports.filter(port => list.includes(port));
      updateIn(SOON_MS);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const [port, server] of open) closeDoor(port, server);
    },
  };
}
