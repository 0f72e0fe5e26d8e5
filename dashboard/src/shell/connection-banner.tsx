import { Command } from '../components/text/command.js';
import type { ConnectionState } from '../server/connection.js';
import { useConnection } from '../server/server-provider.js';

/** Connection problems, above the page; announced by screen readers when they change. */
export function ConnectionBanner() {
  const state = useConnection();
  return (
    <div role="status" aria-live="polite">
      {state === 'lost' && (
        <p className="banner warning">
          <strong>The server does not respond.</strong> This page may be out of date and reconnects
          automatically. If the server was stopped, start it with <Command text="carrel serve" />
        </p>
      )}
      {state === 'expired' && (
        <p className="banner warning">
          <strong>This browser is not signed in.</strong> Get a new link with{' '}
          <Command text="carrel dashboard" /> and open it here.
        </p>
      )}
      <span className="visually-hidden">{SPOKEN[state]}</span>
    </div>
  );
}

const SPOKEN: Readonly<Record<ConnectionState, string>> = {
  connecting: '',
  live: 'Connected to the server.',
  lost: '',
  expired: '',
};
