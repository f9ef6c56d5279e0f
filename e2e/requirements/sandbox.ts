import { type Requirement, section } from './requirement.ts';

/** The sandbox itself: context, packages, capabilities, activity and claim. */
export const SANDBOX: readonly Requirement[] = [
  ...section('docs/contract.md §8', {
    'sandbox.v2-info':
      'GET /v2/sandbox has version, hostname, os, kernel, arch, user, home_dir, workspace_dir, timezone, uptime_seconds, tools and capabilities',
    'sandbox.v1-context': 'GET /v1/sandbox has home_dir, workspace, version and detail beside data',
    'sandbox.packages': 'packages are text, one `- name==version` a line, on both surfaces',
    'sandbox.packages-missing': 'packages of a language without an interpreter answer 503',
    'sandbox.capabilities':
      'GET /v1/capabilities has files, exec, code_interpreter, browser and computer, from the probes of the capabilities',
    'sandbox.capabilities-cached': 'capabilities are kept for 5 s; refresh looks again',
    'sandbox.doctor': 'capabilities have the findings of sandboxd doctor',
  }),
  ...section('docs/contract.md §12 /sandbox', {
    'sandbox.v1-summary':
      'data of GET /v1/sandbox names system, user, home, time zone, ports in use, Python, Node.js and tools by kind',
    'sandbox.v1-runtime': 'detail.runtime has ver, bin and alias of each interpreter',
    'sandbox.v1-utils': 'detail.utils has tools by kind; name is the command to type',
  }),
  ...section('docs/contract.md §12', {
    'sandbox.v1-wire':
      'GET /v1/sandbox has every field that docs/openapi/1.x-wire.json marks required, with its exact type',
  }),
  ...section('docs/contract.md §8', {
    'activity.command': 'a running command holds the sandbox, however silent; its end makes it idle',
    'activity.terminal': 'a terminal with input or output, or with a program in the foreground, holds the sandbox',
    'activity.viewer': 'a viewer of a terminal holds the sandbox',
    'activity.transfer': 'an upload and a download hold the sandbox as long as they last',
    'activity.polling': 'polling does not count',
    'activity.last': 'last has the time of the last use of each kind',
    'activity.day': 'the activity of a recorded day is right at every step',
    'activity.restart': 'a command that outlived the daemon holds the sandbox since its start',
    'claim.locked':
      'with a token file and no key everything but public routes and the claim is 401 until it is claimed',
    'claim.once': 'of ten claims at once one succeeds, and every later one answers 409',
    'claim.token': 'a claim without the token is 401, also if the sandbox takes no claim',
    'claim.takes-effect': 'key, environment, origins and labels of a claim are in force when it is answered',
    'claim.restart': "a claim survives the daemon's restart",
    'claim.signed': 'with a public key a claim is a statement about this pod, which is good once and for a minute',
    'claim.durable': 'under Kubernetes a pool is claimed only if a mount holds the runtime directory',
    'claim.lost': 'a claimed sandbox whose record is lost or torn serves nobody',
    'claim.token-used': 'the token of a claimed sandbox is removed from its container',
    'options.service-links': 'a variable that Kubernetes set for a Service of that name is ignored and named',
    'claim.reserved': "a claim may not set a variable of the service's own",
    'claim.unwritten': 'a claim that cannot be written down is not made',
    'late.key-file': 'SVC_API_KEY_FILE is read again when it changes',
    'late.env-dir': 'SVC_ENV_DIR is read again when it changes; what runs keeps its environment',
    'late.secrets': 'a key that was set later stays out of logs and commands',
    'claim.pool': 'a pool of ten containers without a key is claimed by ten callers at once, each once',
  }),
  ...section('docs/getting-started.md', {
    'readme.first-calls': 'each call works as it stands there, at a service with the key of the docker run and without',
  }),
  ...section('docs/embedding.md', {
    'embed.code': 'sandbox serve ends with the exit code of the command, after the services have stopped',
    'embed.signals': 'signals go to the command',
    'embed.reaped': 'processes without a parent are reaped',
    'embed.secret': 'the services have the key; the command and the first process do not show it',
    'embed.output': 'the services write to stderr',
    'embed.restart': 'services that a signal ends start again while the command goes on',
    'embed.refused': 'services that cannot start end the command, and their code is the exit code',
    'embed.missing': 'a command that does not start is 127 or 126 with a line',
    'embed.arguments': 'options go to the services; without a command they run alone',
    'embed.library': 'a Node that the system cannot run ends it with one line',
  }),
  ...section('docs/getting-started.md, On this machine', {
    'start.defaults': 'npm start uses the default port and directory of the daemon where they are free',
    'start.port': 'if the default port of the daemon is taken, npm start chooses a free one; one that is set stays',
    'start.directory': 'where another daemon holds the default directory, npm start uses one beside it',
    'start.link': 'on a terminal the address is a link, elsewhere plain text',
    'start.two-copies': 'two copies run on one machine at the same time, each on its public port',
  }),
];
