import { expect } from 'vitest';
import { SeededRandom } from '../../../scripts/testing/seeded-random.ts';
import { test } from './mcp.fixture.ts';

const MESSAGES = 10_000;
/** Milliseconds on a busy machine. */
const PATIENCE_MS = 300_000;
/** Sent at once. */
const AT_ONCE = 50;
const CODES = [-32700, -32600, -32601, -32602, -32603, -32000, -32001, -32002, -32004, -32020, -32021, -32022];

const METHODS = ['tools/list', 'tools/call', 'ping', 'initialize', 'resources/read', '', 'x'.repeat(5000), '\u0000', 7];
const IDS = [1, 'a', 0, -1, 1.5, '', null, true, {}, [], 'x'.repeat(10_000), Number.MAX_SAFE_INTEGER];
const VALUES = [undefined, null, 1, 'x', true, [], {}, [[]], { a: null }, '\ud800'];

test(
  '[mcp.malformed] ten thousand malformed messages get codes of JSON-RPC and never a 500',
  async ({ mcp }) => {
    const random = new SeededRandom('mcp messages');
    const below = (end: number): number => random.below(end);
    const chance = (share: number): boolean => below(1000) < share * 1000;
    const pick = <T>(values: readonly T[]): T | undefined => values[below(values.length)];
    const message = (): unknown => {
      const value = (): unknown => pick(VALUES);
      const params = chance(0.5) ? value() : { name: value(), arguments: value(), cursor: value(), _meta: value() };
      return {
        ...(chance(0.9) && { jsonrpc: chance(0.9) ? '2.0' : value() }),
        ...(chance(0.8) && { id: pick(IDS) }),
        ...(chance(0.9) && { method: chance(0.8) ? pick(METHODS) : value() }),
        ...(chance(0.6) && { params }),
        ...(chance(0.05) && { result: value(), error: value() }),
      };
    };
    const text = (): string => {
      const whole = JSON.stringify(chance(0.2) ? Array.from({ length: below(5) }, message) : message());
      return chance(0.2) ? whole.slice(0, below(whole.length + 1)) : whole;
    };
    const versions = ['2025-03-26', '2025-11-25', '2026-07-28', 'x', '9999-01-01'];
    const once = async (): Promise<void> => {
      const body = text();
      const { status, json } = await mcp.post(
        body,
        chance(0.3) ? { 'mcp-protocol-version': pick(versions) ?? '' } : {},
      );
      const answers = [json ?? []].flat();
      const codes = answers.flatMap(({ error }) => (error === undefined ? [] : [error.code]));
      const odd = codes.filter((code) => !CODES.includes(code));
      expect([body, status < 500, odd]).toEqual([body, true, []]);
    };
    for (let sent = 0; sent < MESSAGES; sent += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, once));
  },
  PATIENCE_MS,
);
