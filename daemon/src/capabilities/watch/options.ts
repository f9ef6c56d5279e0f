import { named, type OptionValues, wholeNumber } from '@sandbox/program/options.ts';

export const WatchOptions = {
  watchMaxWatchers: named(wholeNumber(1, 10_000).default(128), {
    env: 'SVC_WATCH_MAX_WATCHERS',
    flag: 'watch-max-watchers',
    description: 'Watchers of files at once; the next one gets 429.',
  }),
} as const;

export type WatchOptions = OptionValues<typeof WatchOptions>;
