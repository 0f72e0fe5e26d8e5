import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react';
import type { ConnectionState } from './connection.js';
import type { ServerLink } from './server-link.js';

const ServerContext = createContext<ServerLink | undefined>(undefined);

export function ServerProvider({ link, children }: { link: ServerLink; children: ReactNode }) {
  useEffect(() => link.live.start(), [link]);
  return <ServerContext value={link}>{children}</ServerContext>;
}

export function useServer(): ServerLink {
  const link = useContext(ServerContext);
  if (!link) throw new Error('useServer is used outside of ServerProvider');
  return link;
}

export function useConnection(): ConnectionState {
  const { connection } = useServer();
  return useSyncExternalStore(connection.listen, connection.state);
}
