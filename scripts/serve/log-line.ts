/** A URL that a terminal opens on a click (OSC 8), as plain text if it does not know the sequence. */
export function linkTo(url: string): string {
  return `\x1b]8;;${url}\x1b\\${url}\x1b]8;;\x1b\\`;
}

const KNOWN_LEVELS: Readonly<Record<string, string>> = { fatal: 'FATAL ', error: 'ERROR ', warn: 'WARN ' };

/** One log line of a service in readable form: time, service, message, then method, path, status and duration. */
export function humanLine(service: string, line: string): string {
  const entry = parse(line);
  if (!entry) return `${' '.repeat(8)} ${service.padEnd(8)} ${line}`;
  const time = typeof entry['time'] === 'string' ? entry['time'].slice(11, 19) : '';
  const level = KNOWN_LEVELS[String(entry['level'])] ?? '';
  const taken = entry['ms'] === undefined ? undefined : `${entry['ms']} ms`;
  const words = [entry['msg'], entry['method'], entry['path'], entry['status'], taken, errorOf(entry['err'])];
  const text = words.filter((word) => word !== undefined && word !== null && word !== '').join(' ');
  return `${time.padEnd(8)} ${service.padEnd(8)} ${level}${text}`;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function errorOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { stack, message } = value as { stack?: unknown; message?: unknown };
  return stack || message ? String(stack ?? message) : undefined;
}
