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
    'images.key':
      'the key is in a file of root’s, and in no environment or command line; hooks and own programs do not get it',
    'images.privileges': 'each program has the account and the capabilities that it needs; accounts gain none',
    'images.boot-links': 'links that the account left do not lead the boot to another file',
    'images.setuid': 'a setuid program gives a command nothing, unless SVC_ALLOW_SETUID is true',
    'images.x-cookie': 'the display needs the cookie of the account and has no abstract socket',
    'images.healthcheck-time': 'the health check waits less than 4 s',
    'images.failed-starts': 'the container ends after ten failed starts in a row of keeper, daemon or gateway',
    'images.hook-directories': 'programs of the drop-in directories of a phase run by name',
    'images.hook-left-behind': 'a background process of a hook does not delay the boot',
    'images.program-killed': 'a killed program restarts without affecting the other programs and their sessions',
    'images.keeper-killed': 'a killed keeper restarts; its commands are lost',
    'images.daemon-restart': 'supervisorctl restart daemon ends the commands',
    'images.unhealthy': 'the container is unhealthy if a required program is stopped',
    'images.user-program': "a user's program is added by a conf file under /opt/svc/supervisord",
    'images.plain': 'a plain docker run works, with a warning where the sandbox of the browser is off',
    'images.seccomp': 'the seccomp profile allows the browser’s sandbox without capabilities or new privileges',
    'images.user': '--user runs everything as that user and logs what is not possible',
    'images.capabilities': 'with dropped capabilities the log says what is not possible',
    'images.read-only': 'a read-only root works with four tmpfs',
    'images.stale-lock': 'a stale lock does not keep the browser from starting',
    'images.stop':
      'docker stop ends within 3 s with exit code 0 and no killed child, and within 10 s if programs ignore it',
    'images.restart': 'docker restart comes back whole',
    'images.command-line': 'arguments of docker run are run instead of the service',
    'config.puid': "PUID and PGID are the account's ids",
    'images.readme-run': 'the docker run of the README works unchanged',
    'images.compose': 'compose.yaml becomes healthy, with its key, its workspace and its seccomp profile',
    'images.compile-cache': 'the services start from a compile cache that the image contains',
    'images.suites':
      'the tests of what depends on the account, the container or the programs of the image pass in it, as root',
    'images.files-layer': 'a directory of a layer of the image is moved and replaced',
    'images.files-mounted': 'a mounted file is written in place; to replace it is 409; a read-only mount is 403',
    'images.files-full-disk': 'uploads and imports to a full disk are 507 and leave no partial file',
    'images.files-owner': 'objects created through the API belong to the default user',
    'images.repository':
      'a repository of 20,000 files is identical after clone, export, deletion and import, and can be edited',
    'images.npm-install': 'every change of an npm install is reported by a watcher',
    'images.terminal-recorded': 'a session of programs and 50 MB reaches every viewer as script(1) recorded it',
    'images.terminal': "a terminal is the account's, finds the programs that commands find, and has its page",
    'images.vnc-socket': 'VNC listens on a socket for the gateway alone, on no port',
  }),
];
