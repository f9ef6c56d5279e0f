import { defineCapability } from '../../capability.ts';
import { ShellPaths } from '../../core/files/shell-paths.ts';
import { tool } from '../../core/requirement.ts';
import { SearchOptions } from './options.ts';
import { SEARCH_SCOPES } from './route-scopes.ts';
import { SearchService } from './search-service.ts';
import { searchTools } from './tools.ts';
import { searchV1 } from './v1/routes.ts';
import { searchV2 } from './v2/routes.ts';

export const search = defineCapability({
  name: 'search',
  scopes: SEARCH_SCOPES,
  options: SearchOptions,
  requires: [tool('ripgrep', { programs: ['rg'], hint: 'apt-get install ripgrep: faster search in files' })],
  create: ({ config, platform }, { searchTimeoutSeconds }) =>
    new SearchService(searchTimeoutSeconds, undefined, new ShellPaths(config.defaultUser, platform)),
  report: (service) => ({ exec: { rg: service.hasRipgrep } }),
  v2: searchV2,
  v1: searchV1,
  tools: searchTools,
});
