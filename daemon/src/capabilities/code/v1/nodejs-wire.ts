import type { z } from 'zod';
import type { CellReport } from '../execution/cell-report.ts';
import type { LanguageInfo } from '../runtime/language-runtime.ts';
import type { SessionInfo } from '../session/session-info.ts';
import type { NodeInfo, NodeResult, NodeSession } from './nodejs-schemas.ts';
import { outputV1, statusV1 } from './output-v1.ts';

/** Exit code of a cell that has none, by its status; a number in each. */
const CODES: Readonly<Record<string, number>> = { ok: 0, error: 1 };

export function nodeResult(report: CellReport): z.infer<typeof NodeResult> {
  const status = statusV1(report);
  return {
    language: 'javascript',
    status,
    execution_count: report.executionCount,
    outputs: report.outputs.map(outputV1),
    code: report.code,
    stdout: report.stdout,
    stderr: report.stderr,
    exit_code: report.exitCode ?? CODES[status] ?? -1,
    session_id: report.sessionId,
    warnings: [...report.warnings],
  };
}

export function nodeSession(info: SessionInfo): z.infer<typeof NodeSession> {
  return {
    session_id: info.sessionId,
    cwd: info.cwd,
    created_at: info.createdAt.getTime(),
    last_used: info.lastUsedAt.getTime(),
    max_idle_time: Math.round(info.idleSeconds * 1000),
    age_seconds: Math.floor(info.unusedMs / 1000),
    state: info.state === 'busy' ? 'EXECUTING' : 'IDLE',
  };
}

type Packages = readonly { readonly name: string; readonly version: string }[];

/** The details are those of the runtime of JavaScript. */
export function nodeInfo(found: LanguageInfo | undefined): z.infer<typeof NodeInfo> {
  const details = found?.details ?? {};
  const text = (key: string): string | null => {
    const value = details[key];
    return typeof value === 'string' ? value : null;
  };
  const current = text('currentVersion');
  return {
    node_version: found?.version ? `v${found.version}` : '',
    npm_version: text('npmVersion') ?? '',
    supported_languages: ['javascript'],
    description: found?.description ?? 'JavaScript on Node.js, which is not installed',
    runtime_directory: text('runtimeDirectory'),
    global_npm_directory: text('globalNpmDirectory'),
    runtime_packages: [...((details['runtimePackages'] as Packages | undefined) ?? [])],
    global_packages: [...((details['globalPackages'] as Packages | undefined) ?? [])],
    error: found ? null : 'node 20 or later not found on PATH',
    version: current,
    available_versions: [...((details['availableVersions'] as readonly string[] | undefined) ?? [])],
    current_version: current,
  };
}
