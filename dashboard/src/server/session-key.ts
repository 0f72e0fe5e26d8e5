/**
 * The key of this browser's session, which the server requires in addition to the cookie. It is stored where only pages
 * of the same host name and port can read it; a cookie is sent to every port.
 */
const NAME = 'carrel-session-key';

/** A login link ends with the key after the #, which is not sent to the server. */
export function takeKeyFromAddress(): void {
  const key = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (key === undefined) return;
  localStorage.setItem(NAME, key);
  history.replaceState(history.state, '', location.pathname + location.search);
}

export const findSessionKey = (): string | null => localStorage.getItem(NAME);

export const forgetSessionKey = (): void => localStorage.removeItem(NAME);

/** Calls back when another tab has signed out. */
export function whenForgotten(callback: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === NAME && newValue === null) callback();
  });
}
