import { boolean, named, wholeNumber } from '@sandbox/program/options.ts';
import { z } from 'zod';

export const SandboxdOptions = {
  sandboxd: named(boolean().default(false), {
    env: 'SVC_SANDBOXD',
    flag: 'sandboxd',
    description:
      "Serve the runtime API of Kubernetes' agent-sandbox (sandboxd) on the public port: /v1/files, /v1/health and " +
      '/v1/metadata.',
  }),
  sandboxdRoot: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_SANDBOXD_ROOT',
    flag: 'sandboxd-root',
    description: "Directory that the runtime API of agent-sandbox serves. Unset: the default account's home.",
  }),
  sandboxdGrpcPort: named(wholeNumber(1, 65_535).optional(), {
    env: 'SVC_SANDBOXD_GRPC_PORT',
    flag: 'sandboxd-grpc-port',
    description:
      "Port of the gateway's listener for gRPC of sandboxd (HTTP/2 without TLS), such as 9090; unset: none. It needs " +
      'SVC_SANDBOXD=true. The gateway reads it too.',
  }),
  pythonRuntimePort: named(wholeNumber(1, 65_535).optional(), {
    env: 'SVC_PYTHON_RUNTIME_PORT',
    flag: 'python-runtime-port',
    description:
      "Port of the gateway's listener for agent-sandbox's older runtime API, such as 8888; unset: none. It needs " +
      'SVC_SANDBOXD=true. The gateway reads it too.',
  }),
};
