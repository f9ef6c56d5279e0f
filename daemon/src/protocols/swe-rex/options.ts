import { named, wholeNumber } from '@sandbox/program/options.ts';

export const SweRexOptions = {
  sweRexPort: named(wholeNumber(1, 65_535).optional(), {
    env: 'SVC_SWEREX_PORT',
    flag: 'swerex-port',
    description:
      "Port of the gateway's listener for clients of SWE-ReX, such as 8000; unset: none. The gateway reads it too.",
  }),
};
