import { type DestinationStream, type Logger, pino } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Fields that may hold a secret, wherever in a line they are. */
const SECRET_FIELDS = ['authorization', 'cookie', 'set-cookie', 'token', 'password', 'secret', 'loginCode'];

/**
 * JSON lines. What comes from outside is inside of JSON strings, so that no request can end a line and begin another;
 * `secrets` are taken out of every line, whichever way they came into it.
 */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly destination: DestinationStream;
  readonly secrets: readonly string[];
}): Logger {
  const paths = SECRET_FIELDS.flatMap(field => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      redact: { paths, censor: '[redacted]' },
    },
    withoutSecrets(options.destination, options.secrets),
  );
}

function withoutSecrets(destination: DestinationStream, secrets: readonly string[]): DestinationStream {
  return {
    write: line =>
      destination.write(secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), line)),
  };
}
