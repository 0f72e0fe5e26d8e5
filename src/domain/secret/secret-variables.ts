/** Variables with their values. */
type Variables = Readonly<Record<string, string | undefined>>;

/** Values of variables whose name says that they hold a secret, such as ANTHROPIC_API_KEY. */
export const secretsByName = (variables: Variables): string[] =>
  entriesOf(variables).flatMap(([name, value]) => (isSecretName(name) && !isPlain(value) ? [value] : []));

/**
 * Values of variables that the configuration passes to agents: all except obvious settings, which are words, numbers,
 * paths and URLs, and every model or version. With a secret-like name a word is a secret too.
 */
export const secretsGiven = (variables: Variables): string[] =>
  entriesOf(variables).flatMap(([name, value]) => (isPlain(value) || isSetting(name, value) ? [] : [value]));

const entriesOf = (variables: Variables): [string, string][] =>
  Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));

const SECRET =
  /(^|_)(api_?keys?|keys?|tokens?|secrets?|pass|passwords?|passwd|passphrase|credentials?|auth|cookie|pat|pin)(_|$)/i;
/** The path of a secret is not a secret. */
const PLACE = /_(sock|socket|file|path|dir|directory|home|url|uri|host|port|id|name|type|ttl|info)$/i;

const isSecretName = (name: string): boolean => SECRET.test(name) && !PLACE.test(name);

/** A number, or a path or url in which every part is short; credentials of urls are hidden in any case. */
function isPlain(value: string): boolean {
  if (/^[\d.,:]{1,15}$/.test(value)) return true;
  if (!/^(\.{0,2}\/|~\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(value)) return false;
  return value.split(/[/:?&=@]/).every(part => part.length < LONG_PART);
}

/** Of a path or url; random text that happens to start with a slash has longer ones. */
const LONG_PART = 32;

const isSetting = (name: string, value: string): boolean =>
  !isSecretName(name) && (SETTING.test(name) || /^[A-Za-z]+([-_., ][A-Za-z]+)*$/.test(value));

const SETTING = /(^|_)(model|version|level|mode|env|region|lang|language|locale|tz|editor|term|shell)$/i;
