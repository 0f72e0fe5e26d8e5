/** The resolver of a separate network: slirp4netns and pasta forward its queries to this machine's resolver. */
export const RESOLVER = '10.0.2.3';

/**
 * The resolv.conf of such a network. This machine's servers may be on its loopback, such as the 127.0.0.53 of
 * systemd-resolved, which is another address inside; the search domains stay.
 */
export function renderResolvConf(ofMachine: string): string {
  const kept = ofMachine.split('\n').filter(line => /^\s*(search|domain|options)\s/.test(line));
  return `${[`nameserver ${RESOLVER}`, ...kept.map(line => line.trim())].join('\n')}\n`;
}
