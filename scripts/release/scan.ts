import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { capture, type Variables } from '../images/docker.ts';

/** Of the Go modules: reads a bill of materials and asks osv.dev about each package in it. */
const SCANNER = 'github.com/google/osv-scanner/v2/cmd/osv-scanner@v2.6.0';
/** Its exit code for known faults, and for a bill without packages, which is a fault of ours. */
const [FOUND, NO_PACKAGES] = [1, 128];

interface Place {
  /** With the lockfile. */
  readonly root: string;
  /** The bill of materials. */
  readonly bill: string;
  /** Gets the scanner if it is not on PATH. */
  readonly tools: string;
}

/**
 * Asks the registry and osv.dev about known faults of what the product consists of: `npm audit`, and a scan of the
 * bill of materials. What cannot be reached is said and left out.
 * @param env more variables of both programs
 * @throws Error with the report of the program that knows of a fault
 */
export async function scan(place: Place, say: (line: string) => void, env: Variables = {}): Promise<void> {
  say(await audit(place, env));
  say(await scanBill(place, env));
}

interface Audit {
  readonly message?: string;
  readonly metadata?: { readonly vulnerabilities: { readonly total: number } };
}

async function audit({ root }: Place, env: Variables): Promise<string> {
  const command = ['env', '-C', root, 'npm', 'audit', '--omit=dev', '--package-lock-only'];
  const { ok, stdout } = await capture([...command, '--json'], env);
  const report = parsed(stdout) as Audit | undefined;
  const total = report?.metadata?.vulnerabilities.total;
  if (total === undefined) return `npm audit was left out: ${report?.message ?? 'npm gave no report'}`;
  if (!ok) throw new Error(`npm audit: ${(await capture(command, env)).stdout.trim()}`);
  return `npm audit: ${total} known faults`;
}

async function scanBill({ bill, tools }: Place, env: Variables): Promise<string> {
  const scanner = await scannerOf(tools, env);
  if (typeof scanner !== 'string') return `the scan of the bill of materials was left out: ${scanner.reason}`;
  const { ok, code, stdout, stderr } = await capture([scanner, 'scan', 'source', '--lockfile', bill], env);
  if (code === FOUND || code === NO_PACKAGES) throw new Error(`osv-scanner: ${stdout.trim()}\n${stderr.trim()}`);
  if (!ok) return `the scan of the bill of materials was left out: ${lastLine(stderr)}`;
  return `osv-scanner: ${lastLine(stdout)}`;
}

/** The scanner's command, or why it cannot be had. */
async function scannerOf(tools: string, env: Variables): Promise<string | { readonly reason: string }> {
  if ((await capture(['osv-scanner', '--version'], env)).ok) return 'osv-scanner';
  await mkdir(tools, { recursive: true });
  const { ok, code, stderr } = await capture(['go', 'install', SCANNER], { ...env, GOBIN: tools });
  if (ok) return join(tools, 'osv-scanner');
  return { reason: code === 127 ? 'neither osv-scanner nor Go is on PATH' : lastLine(stderr) };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

/** Undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
