import { named, wholeNumber } from '@sandbox/program/options.ts';

export const E2bOptions = {
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
