import { type Requirement, section } from './requirement.ts';

export const PROTOCOLS: readonly Requirement[] = [
  ...section('docs/protocols.md', {
    'protocols.seam': 'a protocol is a folder and one line: options, prefix, ports of capabilities',
    'protocols.lazy': 'a protocol is loaded at its first use, and at the start only if something waits for it',
    'protocols.gate': 'every request of a protocol passes the gate; its own credential opens its own routes alone',
    'protocols.errors': 'errors are in the words of the protocol, without a stack',
    'protocols.report': '/v1/capabilities and the metrics name the protocols',
    'protocols.removable': 'a copy of the tree without the protocols type-checks',
  }),
];
