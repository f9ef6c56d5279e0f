import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger };

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Keys of credentials in logged requests, headers and queries. */
const CREDENTIAL_KEYS = [
  'authorization',
  'cookie',
  '["set-cookie"]',
  '["x-api-key"]',
  '["x-svc-api-key"]',
  '["x-aio-api-key"]',
  'api_key',
  'apiKey',
  'ticket',
];

/**
 * A logger of JSON lines on standard output. Credentials are redacted by key name and, for the values in `secrets`, at
 * any place of a line.
 */
export function createLogger(
  name: string,
  level: LogLevel,
  secrets: readonly string[] = [],
  destination: DestinationStream = pino.destination({ fd: 1, sync: false }),
): Logger {
  const paths = CREDENTIAL_KEYS.flatMap((key) => {
    const dotted = key.startsWith('[') ? key : `.${key}`;
    return [key, `headers${dotted}`, `query${dotted}`, `req.headers${dotted}`, `req.query${dotted}`, `*${dotted}`];
  });
  return pino(
    {
      name,
      level,
      timestamp: stdTimeFunctions.isoTime,
      base: { name },
      redact: { paths, censor: '[redacted]' },
      formatters: { level: (label) => ({ level: label }) },
    },
    scrubbed(destination, secrets),
  );
}

/** Redacts each secret in its plain, JSON-escaped and percent-encoded form. */
function scrubbed(destination: DestinationStream, secrets: readonly string[]): DestinationStream {
  const forms = secrets.flatMap((secret) => [
    ...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]),
  ]);
  if (forms.length === 0) return destination;
  return {
    write(line: string): void {
      destination.write(forms.reduce((text, form) => text.replaceAll(form, '[redacted]'), line));
    },
  };
}
