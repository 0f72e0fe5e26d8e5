import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/** Where systems keep all certificates in one file: Debian, Fedora, openSUSE, Alpine and macOS, OpenBSD. */
const SYSTEM_FILES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Variables by which the user names further ones. */
const USER_VARIABLES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];

/** The authorities that this machine and its user trust, as PEM: the user's own, and the system's or else Node's. */
export function readTrusted(caller: Readonly<Record<string, string>>): string {
  const own = USER_VARIABLES.flatMap(name => readIfThere(caller[name]));
  const [system = rootCertificates.join('\n')] = SYSTEM_FILES.flatMap(readIfThere);
  return [...own, system].map(text => `${text.trimEnd()}\n`).join('');
}

function readIfThere(file: string | undefined): string[] {
  if (!file) return [];
  try {
    const text = readFileSync(file, 'utf8');
    return text.includes('-----BEGIN') ? [text] : [];
  } catch {
    return [];
  }
}

/** Variables that set which authorities to trust: Node, OpenSSL (also rustls and Go), and programs with their own. */
const PROGRAM_VARIABLES = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO'],
  ...[
    'AWS_CA_BUNDLE',
    'CODEX_CA_CERTIFICATE',
    'DENO_CERT',
    'PIP_CERT',
    'NPM_CONFIG_CAFILE',
    'CARGO_HTTP_CAINFO',
  ],
  ...['NIX_SSL_CERT_FILE', 'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'],
];

export const trustVariables = (file: string): Record<string, string> =>
  Object.fromEntries(PROGRAM_VARIABLES.map(name => [name, file]));
