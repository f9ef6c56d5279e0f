import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { AgeClock } from '../clock/age-clock.ts';
import { Revocations } from './revocations.ts';
import { TicketStore } from './tickets.ts';

/** Of a directory that does not exist. */
export function noRevocations(clock: AgeClock = AgeClock.ofProcess()): Revocations {
  return new Revocations(join(tmpdir(), 'nonexistent'), clock, createLogger('daemon', 'silent'));
}

/** A store without tickets. */
export function noTickets(clock: AgeClock = AgeClock.ofProcess()): TicketStore {
  return new TicketStore(clock, noRevocations(clock));
}
