const PREFIX = 'SANDBOX_';

/** Parts of names whose values are secrets. */
const SECRET = [
  'TOKEN',
  'SECRET',
  'PASS',
  'PWD',
  'CRED',
  'KEY',
  'AUTH',
  'BEARER',
  'PRIVATE',
  'CERT',
  'SIGNATURE',
  'COOKIE',
  'SESSION',
  'DSN',
];

/** The variables that an orchestrator describes the sandbox by; none whose name hints at a secret. */
export function metadataOf(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const shown = Object.entries(environment).filter((entry): entry is [string, string] => isShown(entry[0], entry[1]));
  return Object.fromEntries(shown);
}

function isShown(name: string, value: string | undefined): boolean {
  const upper = name.toUpperCase();
  return value !== undefined && name.startsWith(PREFIX) && !SECRET.some((part) => upper.includes(part));
}
