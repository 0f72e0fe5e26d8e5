/**
 * Removes passwords and tokens from the URLs in a text: `https://user:password@host` and `https://TOKEN@host`. A short
 * name without a password, as in `ssh://git@host`, stays.
 */
export function hideUrlCredentials(text: string): string {
  if (!text.includes('://')) return text;
  return text.replaceAll(AUTHORITY, (whole, scheme: string, user: string, password: string | undefined) => {
    if (password) return `${scheme}${user.length >= LONG_NAME ? HIDDEN : user}:${HIDDEN}@`;
    return user.length >= LONG_NAME ? `${scheme}${HIDDEN}@` : whole;
  });
}

/** Bounded, so that no text makes it slow. */
const AUTHORITY =
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s/?#:@"'<>`\\]{0,512})(?::([^\s/?#@"'<>`\\]{0,512}))?@/gi;

/** Tokens in the place of a user name are longer than real user names. */
const LONG_NAME = 16;

const HIDDEN = '[redacted]';
