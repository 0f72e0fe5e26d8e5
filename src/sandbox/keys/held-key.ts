import { randomBytes } from 'node:crypto';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import { SHORTEST_SECRET } from '../../domain/secret/redactor.js';
import { parseAuthority, type Target } from '../network/rules/network-target.js';

/** A key that stays outside, for one command. */
export interface HeldKey {
  /** Its placeholder inside. It can't be guessed, and only this command's proxy accepts it. */
  readonly placeholder: string;
  readonly value: string;
  /** Where it may be sent, over TLS. */
  readonly targets: readonly Target[];
  /** In lower case. */
  readonly headers: readonly string[];
}

type Variables = Readonly<Record<string, string>>;

export interface HeldCommand {
  readonly keys: readonly HeldKey[];
  /** The command's variables, with placeholders. */
  readonly environment: Variables;
  readonly command: readonly string[];
}

/**
 * Takes the keys that are bound to hosts out of a command: out of their variables and out of everything else in the command
 * that contains the same value.
 *
 * @param inherited The environment shared by all commands of the sandbox.
 */
export function holdKeys(
  { keys: bindings = {} }: Pick<SandboxSettings, 'keys'>,
  inherited: Variables,
  { environment, command }: Pick<HeldCommand, 'environment' | 'command'>,
): HeldCommand {
  const all = { ...inherited, ...environment };
  const named = Object.entries(bindings).flatMap(([name, binding]) =>
    all[name] ? [{ name, value: all[name], binding }] : [],
  );
  const keys = named.map(({ value, binding: { hosts, headers, baseUrls } }): HeldKey => {
    const further = baseUrls.flatMap(base => targetOf(all[base]));
    return {
      placeholder: createPlaceholder(value),
      value,
      headers,
      targets: [...hosts.flatMap(parse), ...further],
    };
  });
  const hide = (text: string) => keys.reduce(withoutKey, text);
  const hidden = Object.entries(inherited).filter(([, value]) => hide(value) !== value);
  const given = [...hidden, ...Object.entries(environment)].map(([name, value]) => [name, hide(value)]);
  const placeholders = named.map(({ name }, at) => [name, keys[at]?.placeholder ?? '']);
  return {
    keys,
    environment: { ...Object.fromEntries(given), ...Object.fromEntries(placeholders) },
    command: command.map(hide),
  };
}

const withoutKey = (text: string, { value, placeholder }: HeldKey): string =>
  value.length < SHORTEST_SECRET ? text : text.replaceAll(value, placeholder);

const HTTPS = 443;

const parse = (host: string): Target[] => {
  const target = parseAuthority(host, HTTPS);
  return target ? [target] : [];
};

/** Only for a url with TLS: a key is never sent over plain HTTP. */
function targetOf(url: string | undefined): Target[] {
  if (url === undefined || !URL.canParse(url)) return [];
  const { protocol, host } = new URL(url);
  return protocol === 'https:' ? parse(host) : [];
}

/** Some programs detect the kind of key by its prefix; only that is kept. */
function createPlaceholder(value: string): string {
  const [kind = ''] =
    /^(sk-ant-[a-z]{2,5}\d\d-|sk-proj-|sk-or-v1-|sk-|gh[a-z]_|github_pat_|AIza)/.exec(value) ?? [];
  return `${kind}carrel-placeholder-${randomBytes(20).toString('hex')}`;
}
