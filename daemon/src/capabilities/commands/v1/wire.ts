import type { z } from 'zod';
import type { CommandReport } from '../command-service.ts';
import type { CommandRecord } from '../run/command.ts';
import type { ExecResult, OutputResult } from './schemas.ts';

/** Bytes of the longest character. */
const UTF8_BYTES_MAX = 4;

type StatusV1 = z.infer<typeof ExecResult>['status'];

/** Bytes of an excerpt whose halves have at least half of the characters each; 0: all. */
export function excerptBytes(characters: number): number {
  return characters === 0 ? 0 : (characters + 1) * UTF8_BYTES_MAX;
}

/** @param characters of each stream; 0: all. The excerpt has `excerptBytes` of them. */
export function execResult({ record, excerpt }: CommandReport, characters: number): z.infer<typeof ExecResult> {
  const { stdout, stderr, ends } = excerpt;
  return {
    ...infoV1(record),
    session_id: record.sessionId ?? '',
    stdout: cutMiddle(stdout, characters, ends.stdout),
    // 1.x has no status for a command that could not be started: its shell wrote the reason to stderr.
    stderr: record.status === 'failed' ? `${record.message}\n` : cutMiddle(stderr, characters, ends.stderr),
    offset: ends.stdout,
    stderr_offset: ends.stderr,
  };
}

/** How to continue with a command that has not ended. */
export function continueHintV1(
  at: Pick<z.infer<typeof ExecResult>, 'session_id' | 'command_id' | 'status' | 'offset' | 'stderr_offset'>,
): string | null {
  if (at.status !== 'running' && at.status !== 'pending') return null;
  const named = { session_id: at.session_id, command_id: at.command_id };
  const next = JSON.stringify({ ...named, offset: at.offset, stderr_offset: at.stderr_offset, wait: true });
  return `it runs on: POST /v1/bash/output ${next} for the next output; POST /v1/bash/kill ${JSON.stringify(named)} ends it`;
}

/** The beginning and the end of longer text, with a note of the missing bytes. @param bytes of the whole stream */
function cutMiddle(text: string, characters: number, bytes: number): string {
  // A character is one unit of a string, or two.
  if (characters === 0 || text.length <= characters || countUpTo(text, characters + 1) <= characters) return text;
  const head = text.slice(0, forward(text, Math.ceil(characters / 2)));
  const tail = text.slice(backward(text, Math.floor(characters / 2)));
  const left = Math.max(1, bytes - Buffer.byteLength(head) - Buffer.byteLength(tail));
  return `${head}\n[... ${left} bytes left out ...]\n${tail}`;
}

/** Characters of the text, counted to the bound. */
function countUpTo(text: string, bound: number): number {
  let count = 0;
  for (let at = 0; at < text.length && count < bound; at += sizeAt(text, at)) count += 1;
  return count;
}

/** Index after the first `count` characters. */
function forward(text: string, count: number): number {
  let at = 0;
  for (let left = count; left > 0 && at < text.length; left -= 1) at += sizeAt(text, at);
  return at;
}

/** Index of the first of the last `count` characters. */
function backward(text: string, count: number): number {
  let at = text.length;
  for (let left = count; left > 0 && at > 0; left -= 1) at -= at > 1 && sizeAt(text, at - 2) === 2 ? 2 : 1;
  return at;
}

/** Units of the character at an index: two beyond the Basic Multilingual Plane. */
function sizeAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

export function infoV1(record: CommandRecord): NonNullable<z.infer<typeof OutputResult>['command']> {
  return {
    command_id: record.id,
    command: record.command,
    status: statusV1(record.status),
    exit_code: exitCodeV1(record),
  };
}

function statusV1(status: CommandRecord['status']): StatusV1 {
  if (status === 'failed') return 'completed';
  if (status === 'pending') return 'running';
  return status === 'lost' ? 'killed' : status;
}

function exitCodeV1({ status, exitCode }: CommandRecord): number | null {
  return status === 'lost' ? -1 : exitCode;
}
