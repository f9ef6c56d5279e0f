import { waitFor } from '@sandbox/api/wait.ts';
import type { CoreConfig } from '../config.ts';
import { type Check, examine } from '../doctor.ts';
import type { Finding } from '../finding.ts';
import { definePort } from '../ports/port.ts';
import type { Requirement } from '../requirement.ts';
import { Cached } from './cached.ts';

/** Milliseconds for which a survey is kept. */
export const SURVEY_MS = 5000;
/** Milliseconds that one probe may take. */
const PATIENCE_MS = 10_000;

/** What one capability says of itself: fields of the report, by section. */
export type Report = Readonly<Record<string, unknown>>;

/** How the survey asks a capability. */
export interface Surveyed {
  readonly name: string;
  readonly probe: (() => Promise<Finding>) | undefined;
  readonly report: ((finding: Finding | undefined) => Report | Promise<Report>) | undefined;
}

export interface SurveyResult {
  /** As `sandboxd doctor` examines the machine, then the probes. */
  readonly checks: readonly Check[];
  /** The sections of all capabilities. */
  readonly report: Report;
}

/** What the daemon found out about the machine and its capabilities, at most 5 s ago. */
export interface Survey {
  /** @param fresh look again, however young the last survey is */
  look(fresh: boolean): Promise<SurveyResult>;
}

/** Filled by the composition root: it knows all capabilities. */
export const SURVEY = definePort<Survey>('survey');

export function surveyOf(
  config: CoreConfig,
  requirements: readonly Requirement[],
  capabilities: readonly Surveyed[],
): Survey {
  const cached = new Cached(SURVEY_MS, async () => {
    const [checks, findings] = await Promise.all([
      examine(config, requirements),
      Promise.all(capabilities.map(probeOf)),
    ]);
    const reports = await Promise.all(capabilities.map((capability, index) => reportOf(capability, findings[index])));
    const probed = findings.flatMap((finding) => (finding ? [{ ...finding, required: true }] : []));
    return { checks: [...checks, ...probed], report: mergeReports(reports) };
  });
  return { look: (fresh) => cached.get(fresh) };
}

/** Sections of one name are one section with the fields of all; of two values of one name the later stays. */
export function mergeReports(reports: readonly Report[]): Report {
  const merged: Record<string, unknown> = {};
  for (const [section, value] of reports.flatMap((report) => Object.entries(report))) {
    const known = merged[section];
    merged[section] = isFields(known) && isFields(value) ? { ...known, ...value } : value;
  }
  return merged;
}

/** The probe of a capability, which may throw or never answer. */
async function probeOf({ name, probe }: Surveyed): Promise<Finding | undefined> {
  if (probe === undefined) return undefined;
  try {
    const probed = probe();
    if ((await waitFor(probed, { ms: PATIENCE_MS })) === 'settled') return await probed;
    return { name, ok: false, detail: `no answer within ${PATIENCE_MS / 1000} s` };
  } catch (error) {
    return { name, ok: false, detail: String(error) };
  }
}

/** What a capability says of itself; nothing if it throws or does not answer. */
async function reportOf({ report }: Surveyed, finding: Finding | undefined): Promise<Report> {
  if (report === undefined) return {};
  try {
    const reported = Promise.resolve(report(finding));
    return (await waitFor(reported, { ms: PATIENCE_MS })) === 'settled' ? await reported : {};
  } catch {
    return {};
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
