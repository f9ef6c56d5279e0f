import { type Requirement, section } from './requirement.ts';

export const PORTS: readonly Requirement[] = [
  ...section('docs/ports.md', {
    'ports.bytes': 'GET /v2/ports/{port}/connect carries bytes in both directions, and each direction ends alone',
    'ports.back-pressure': 'a side that does not read stops the other',
    'ports.cut': 'a cut of either side ends the other',
    'ports.refused': 'wrong ports are 422, those of the product 403, ports without a listener 503',
    'ports.access': 'key and Origin are checked before the upgrade',
    'ports.ceiling': 'at most 64 connections are open',
  }),
];
