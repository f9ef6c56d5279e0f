import { defineCapability } from '../../capability.ts';
import { tool } from '../../core/requirement.ts';
import { SearchOptions } from './options.ts';
import { SearchService } from './search-service.ts';
import { searchTools } from './tools.ts';
import { searchV1 } from './v1/routes.ts';
import { searchV2 } from './v2/routes.ts';

export const search = defineCapability({
  name: 'search',
  options: SearchOptions,
  requires: [tool('ripgrep', { programs: ['rg'], hint: 'apt-get install ripgrep: faster search in files' })],
  create: (_core, { searchTimeoutSeconds }) => new SearchService(searchTimeoutSeconds),
  report: (service) => ({ exec: { rg: service.hasRipgrep } }),
  v2: searchV2,
  v1: searchV1,
  tools: searchTools,
});
