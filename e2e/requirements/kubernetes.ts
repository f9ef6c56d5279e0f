import { type Requirement, section } from './requirement.ts';

export const KUBERNETES: readonly Requirement[] = section('docs/kubernetes.md', {
  'kubernetes.pod':
    'the pod and the template of the pool have probes without a key, no credential of the cluster, and room',
  'kubernetes.overlays': 'each overlay is in the table of the document',
  'kubernetes.seccomp': 'the installer puts the profile of the image on each node',
});
