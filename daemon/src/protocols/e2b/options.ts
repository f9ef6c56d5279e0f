import { boolean, named, wholeNumber } from '@sandbox/program/options.ts';
import { z } from 'zod';

const ID = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const E2bOptions = {
  sandboxId: named(z.string().regex(ID, 'expected a label of a host name in lower case').optional(), {
    env: 'SVC_SANDBOX_ID',
    flag: 'sandbox-id',
    description: 'Id of this sandbox for foreign protocols; by default made from the host name.',
  }),
  protocolShared: named(boolean().default(false), {
    env: 'SVC_PROTOCOL_SHARED',
    flag: 'protocol-shared',
    description: 'Each create of a foreign protocol gets an id of its own on this machine, instead of 429.',
  }),
  protocolShutdown: named(boolean().default(false), {
    env: 'SVC_PROTOCOL_SHUTDOWN',
    flag: 'protocol-shutdown',
    description: 'Stop, and the container with it, when the last sandbox of a foreign protocol is ended or over.',
  }),
  e2bSignatureSeconds: named(wholeNumber(1, 31_536_000).default(86_400), {
    env: 'SVC_E2B_SIGNATURE_SECONDS',
    flag: 'e2b-signature-seconds',
    description: "Seconds from a create or connect for which E2B's signed file URLs without an expiry are good.",
  }),
  e2bPort: named(wholeNumber(1, 65_535).optional(), {
    env: 'SVC_E2B_PORT',
    flag: 'e2b-port',
    description:
      "Port of the gateway's listener for E2B's clients, such as 49983; unset: none. The gateway reads it too.",
  }),
};
