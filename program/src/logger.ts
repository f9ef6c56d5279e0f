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

const concealed = new Set<string>();

/** Redacts a secret that this process got after its start, in every log from now on. */
export function concealSecret(secret: string): void {
  for (const form of formsOf(secret)) concealed.add(form);
}

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
  const own = secrets.flatMap(formsOf);
  return {
    write(line: string): void {
      const forms = [...own, ...concealed];
      const hasSecret = forms.some((form) => line.includes(form));
      destination.write(hasSecret ? `${JSON.stringify(redacted(JSON.parse(line), forms))}\n` : line);
    },
  };
}

/** A JSON value with the texts and the names of members redacted: a key of digits may occur in a number too. */
function redacted(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === 'string') return forms.reduce((text, form) => text.replaceAll(form, '[redacted]'), value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => redacted(one, forms));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [redacted(name, forms), redacted(one, forms)]));
}

function formsOf(secret: string): string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])];
}
