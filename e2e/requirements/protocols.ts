import { type Requirement, section } from './requirement.ts';

export const PROTOCOLS: readonly Requirement[] = [
  ...section('docs/protocols.md', {
    'protocols.seam': 'a protocol is a folder and one line: options, prefix, ports of capabilities',
    'protocols.lazy': 'a protocol is loaded at its first use, and at the start only if something waits for it',
    'protocols.gate': 'every request of a protocol passes the gate; its own credential opens its own routes alone',
    'protocols.errors': 'errors are in the words of the protocol, without a stack',
    'protocols.report': '/v1/capabilities and the metrics name the protocols',
    'protocols.removable': 'a copy of the tree without the protocols type-checks',
    'e2b.clients': "E2B's SDKs and code interpreters of PyPI and npm work unchanged, synchronous and asynchronous",
    'e2b.process': 'process.Process starts, lists, feeds, resizes, signals and follows commands and terminals of ours',
    'e2b.connect': 'Connect replays what is kept from the first byte on, after a cut and after the death of the daemon',
    'e2b.files': 'GET and POST /files read and write bytes and forms, with parents, gzip and ranges',
    'e2b.filesystem': 'filesystem.Filesystem describes, makes, moves, lists and removes entries by the rules of envd',
    'e2b.watch': 'changes come by stream and by poll, with entries if they are asked for',
    'e2b.limits': 'a message has at most 8 MiB; a malformed one is refused',
    'e2b.control': 'sandboxes are created, listed, read, prolonged, connected to and deleted',
    'e2b.creators': 'one sandbox, many creators: 429 with the id, or an id of its own for each',
    'e2b.timeout': 'a timeout ends what was started with the id and frees it',
    'e2b.not-served': 'what one machine cannot serve is 501 with a sentence',
    'e2b.tokens': 'envdAccessToken and trafficAccessToken open their own services until the sandbox ends',
    'e2b.signatures': 'a signed URL opens the path, operation and user that it names, until it expires',
    'e2b.init': '/init needs a credential if there is a key or a token, and never replaces a token',
    'e2b.door':
      'hosts of the protocol and its own listener lead to its routes; another port in the header is previewed',
    'e2b.hostile': 'clients that read nothing, lie about lengths or leave harm no other',
    'e2b.hosts': 'Host and Origin are judged before a host name selects the protocol',
    'e2b.code': 'POST /execute and contexts run code in sessions of ours',
  }),
];
