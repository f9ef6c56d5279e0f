import { type Requirement, section } from './requirement.ts';

/** Third-party engines that meet bytes from outside. */
export const ENGINES: readonly Requirement[] = [
  ...section('docs/limits.md', {
    'engines.hostile-input': 'a hostile input of each engine gets a clear answer in time, and costs bounded memory',
    'engines.control-sequences': 'no control sequence of ECMA-48, however it is cut, stalls or ends the service',
    'engines.display': 'a hostile X server costs its own calls only, in bounded time and memory',
    'engines.websocket': 'frames that are not allowed, or have no end, end their own connection only',
    'work.synchronous': 'each file with synchronous calls that a request can reach is listed with their bound',
    'engines.rfb': 'a hostile RFB server ends its own connection only, and costs the gateway bounded memory',
  }),
];
