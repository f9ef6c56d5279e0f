import { named } from '@sandbox/program/options.ts';
import { z } from 'zod';

export const DesktopOptions = {
  computerUseUrl: named(
    z.url({ protocol: /^http$/, error: 'expected http://host:port' }).default('http://127.0.0.1:18100'),
    {
      env: 'SVC_COMPUTER_USE_URL',
      flag: 'computer-use-url',
      description: 'Where the computer-use worker answers, which serves the display.',
    },
  ),
};
