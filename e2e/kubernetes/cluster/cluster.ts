import process from 'node:process';
import { CLUSTER_VARIABLE, type Cluster } from './handed.ts';

export const CLUSTER: Cluster = JSON.parse(process.env[CLUSTER_VARIABLE] ?? 'null') ?? missing();

function missing(): never {
  throw new Error('these tests need a cluster: run them by npm run test:kubernetes');
}
