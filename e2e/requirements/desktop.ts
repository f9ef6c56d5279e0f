import { type Requirement, section } from './requirement.ts';

export const DESKTOP: readonly Requirement[] = [
  ...section('api.md §7', {
    'desktop.info': 'info answers available, display, xauthority, screen_resolution, capabilities and warnings',
    'desktop.pages': 'web pages do not reach the worker: foreign hosts, origins and Sec-Fetch-Site are 403',
    'desktop.restart': 'the worker starts without an X server and serves the display again after a restart of it',
  }),
];
