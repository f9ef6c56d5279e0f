import { list, named, type OptionValues, wholeNumber } from '@sandbox/program/options.ts';
import { z } from 'zod';

const ZYGOTES = ['boot', 'use', 'never'] as const;
const BACKENDS = ['native', 'kernel', 'auto'] as const;
/** The most warm interpreters of one kind. */
const POOL_MAX = 64;

export const CodeOptions = {
  codeBackend: named(z.enum(BACKENDS, { error: `expected one of ${BACKENDS.join(', ')}` }).default('native'), {
    env: 'SVC_CODE_BACKEND',
    flag: 'code-backend',
    description:
      'What runs Python. native: kernels of the daemon, else the plain interpreter; kernel: kernels only; auto: native.',
  }),
  kernelMaxSessions: named(wholeNumber(1, 1000).optional(), {
    env: 'SVC_KERNEL_MAX_SESSIONS',
    flag: 'kernel-max-sessions',
    description:
      'Kernel sessions that are open at once. At the limit the idle session without a name that was used longest ago is ' +
      'closed, else the next one gets 429. Unset: as many as fit into the memory limit with 192 MiB each, 5 to 16.',
  }),
  kernelIdleSeconds: named(wholeNumber(1, 31_536_000).default(3600), {
    env: 'SVC_KERNEL_IDLE_SECONDS',
    flag: 'kernel-idle-seconds',
    description: 'Seconds without use after which a kernel session is closed.',
  }),
  kernelPrewarm: named(wholeNumber(0, POOL_MAX).default(0), {
    env: 'SVC_KERNEL_PREWARM',
    aliases: ['JUPYTER_POOL_SIZE'],
    flag: 'kernel-prewarm',
    description: 'Python kernels that are kept warm.',
  }),
  kernelPreload: named(list().prefault(''), {
    env: 'SVC_KERNEL_PRELOAD',
    flag: 'kernel-preload',
    description: 'Python modules that warm kernels have imported, separated by commas.',
  }),
  kernelZygote: named(z.enum(ZYGOTES, { error: `expected one of ${ZYGOTES.join(', ')}` }).optional(), {
    env: 'SVC_KERNEL_ZYGOTE',
    flag: 'kernel-zygote',
    description:
      'When the Python that forks kernels starts, which takes some 80 MiB. boot: soon after the daemon, so that the ' +
      'first cell is fast; use: at the first Python cell; never: each kernel starts by itself, in a second or more. ' +
      'Unset: boot, and with less than 768 MiB of memory never.',
  }),
  jupyterEndpoint: named(z.url({ protocol: /^https?$/, error: 'expected an address with http or https' }).optional(), {
    env: 'SVC_JUPYTER_ENDPOINT',
    flag: 'jupyter-endpoint',
    description:
      'A Jupyter server whose kernels serve /v1/jupyter, such as http://jupyter:8888/?token=…; unset: kernels of the daemon.',
  }),
  codePrewarm: named(wholeNumber(0, POOL_MAX).default(0), {
    env: 'SVC_CODE_PREWARM',
    flag: 'code-prewarm',
    description: 'JavaScript interpreters that are kept warm.',
  }),
} as const;

export type CodeOptions = OptionValues<typeof CodeOptions>;
