import { type Requirement, section } from './requirement.ts';

export const IMAGES: readonly Requirement[] = [
  ...section('api.md §12', { 'images.home-gem': "/home/gem is a link to the account's home" }),
  ...section('interface.md Images', {
    'images.account': 'a non-root account runs commands, in its home; the daemon runs as root',
    'images.content':
      'the image has the daemon, a browser, a VNC server, Python and Node toolchains, code-server, JupyterLab',
  }),
  ...section('docs/operations.md', {
    'images.healthcheck': 'the health check needs no key on its command line',
    'images.labels': 'the image carries the labels of the Open Container Initiative',
    'images.tini': 'tini is the first process and signals the whole group',
    'images.secrets': "no program of the account's gets the key or a variable of the product's",
    'images.hook-directories': 'programs of the drop-in directories of a phase run by name',
    'images.hook-left-behind': 'a process that a hook leaves behind does not hold the boot up',
    'images.vnc-socket': 'VNC listens on a socket for the gateway alone, on no port',
  }),
];
