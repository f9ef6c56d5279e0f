import { named, type OptionValues, seconds } from '@sandbox/program/options.ts';

export const SearchOptions = {
  searchTimeoutSeconds: named(seconds(0.1, 3600).default(60), {
    env: 'SVC_SEARCH_TIMEOUT_SECONDS',
    flag: 'search-timeout-seconds',
    description: 'Seconds after which a search in files ends with the results so far.',
  }),
} as const;

export type SearchOptions = OptionValues<typeof SearchOptions>;
