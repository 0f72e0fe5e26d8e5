import { type DestinationStream, type Logger, pino } from 'pino';
import type { Redactor } from '../../../domain/secret/redactor.js';
import { visibleJson } from '../../../domain/text/visible-json.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Fields that may hold a secret, at any level. */
const SECRET_FIELDS = ['authorization', 'cookie', 'set-cookie', 'token', 'password', 'secret', 'loginCode'];

/**
 * JSON lines. Foreign text is in JSON strings, so that no request can start a new line, and terminal control characters
 * are escaped. Secrets are removed from every line.
 */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly destination: DestinationStream;
  readonly redactor: Redactor;
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
    harmless(options.destination, options.redactor),
  );
}

const harmless = (destination: DestinationStream, redactor: Redactor): DestinationStream => ({
  write: line => destination.write(visibleJson(redactor.text(line))),
});
