import { type Requirement, section } from './requirement.ts';

/** What operators, people and language models read of the service. */
export const OPERATIONS: readonly Requirement[] = [
  ...section('api.md §8', {
    'explorer.pages': '/docs and /v1/docs are explorers of the two surfaces; both need the key',
    'explorer.offline': 'an explorer loads nothing but files of its own origin, under a policy of its own',
    'explorer.call': 'a call from the explorer reaches the service, behind a path prefix too',
    'explorer.sign-in': 'a browser without the key gets the form, and a link with the key opens the explorer',
    'openapi.root': 'GET /openapi.json is the document of v2 and needs the key',
    'guide.routes': 'GET /v2/guide lists each route of v2 and each built-in tool, from their own descriptions',
    'guide.size': 'the guide has under 8,000 tokens, however many routes and tools there are',
    'guide.key': '/v2/guide and /llms.txt need the key',
    'llms.index': 'GET /llms.txt is an index by relative links, each of which is served',
  }),
];
