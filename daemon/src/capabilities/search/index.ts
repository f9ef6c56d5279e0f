import { defineCapability } from '../../capability.ts';
import { searchV1 } from './routes.v1.ts';
import { searchV2 } from './routes.v2.ts';
import { SearchService } from './search-service.ts';

export const search = defineCapability({
  name: 'search',
  create: ({ config }) => new SearchService(config.searchTimeoutSeconds),
  v2: searchV2,
  v1: searchV1,
});
