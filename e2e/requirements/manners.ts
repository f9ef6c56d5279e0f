import { type Requirement, section } from './requirement.ts';

export const MANNERS: readonly Requirement[] = [
  ...section('docs/contract.md §1.1', {
    'manners.form-path': 'the path of a form may be in the query; two paths that differ are 422',
    'manners.empty-values': 'an empty value of a query is refused with its field, as it is neither a value nor absence',
    'manners.shell-paths':
      'paths of /v2 and MCP are as in a shell: ~, ~user, relative to cwd or the home; answers, /v1, tickets and base64 are absolute',
    'manners.two-places': 'two places of one value, or two names of it, that differ are 422',
    'manners.unknown-part':
      'an unknown part of a form is 422 with the nearest known one on /v2; parts for others, and all with SVC_STRICT=false, are ignored',
    'manners.nearest-route': 'an unknown route below /v2 names the nearest route, in time that its path bounds',
    'manners.list-shapes': 'the document and the contract say which lists are arrays and which are in a field',
    'manners.errors-page':
      'docs/errors.md has each kind of error with its status, meaning, next step and an example that the service answers',
    'manners.form-names': 'names in a form have the characters that browsers and curl encode: ", LF and CR',
    'manners.unknown-route-body': 'an unknown or removed route is 404 with its hint, for any body and query',
    'manners.live-headers': 'no proxy buffers, keeps or compresses a stream of NDJSON, events or MCP',
  }),
];
