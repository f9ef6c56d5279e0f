import { defineCapability } from '../../capability.ts';
import { BrowserEndpoint } from './browser-endpoint.ts';

export const browser = defineCapability({
  name: 'browser',
  create: ({ config }) => new BrowserEndpoint(config),
  probe: (endpoint) => endpoint.probe(),
});
