import { Command } from '../components/command.js';
import type { ConnectionState } from '../server/connection.js';
import { useConnection } from '../server/server-provider.js';

/** What is wrong with the connection, above the page; told to a screen reader when it changes. */
export function ConnectionBanner() {
  const state = useConnection();
  return (
    <div role="status" aria-live="polite">
      {state === 'lost' && (
        <p className="banner warning">
          <strong>No answer from the server.</strong> What you see may be old; the page connects again by
          itself. If it was stopped, start it with <Command text="carrel serve" />
        </p>
      )}
      {state === 'expired' && (
        <p className="banner warning">
          <strong>This browser is not signed in, or no longer.</strong> Get a new link with{' '}
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
