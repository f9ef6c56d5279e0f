import { defineCapability } from '../../capability.ts';
import { SearchService } from './search-service.ts';
import { searchV1 } from './v1/routes.ts';
import { searchV2 } from './v2/routes.ts';

export const search = defineCapability({
  name: 'search',
  create: ({ config }) => new SearchService(config.searchTimeoutSeconds),
  v2: searchV2,
  v1: searchV1,
});
