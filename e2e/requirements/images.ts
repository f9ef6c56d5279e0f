import { type Requirement, section } from './requirement.ts';

export const IMAGES: readonly Requirement[] = [
  ...section('docs/contract.md §12', { 'images.home-gem': "/home/gem is a link to the account's home" }),
  ...section('docs/protocols.md', {
    'images.workspace': "/workspace is a link to the account's home",
    'images.e2b-home': "/home/user is a link to the account's home, for programs of E2B",
  }),
  ...section('docs/contract.md §11', {
    'images.account': 'a non-root account runs commands, in its home; the daemon runs as root',
    'images.content':
      'the image has the daemon, a browser, a VNC server, Python and Node toolchains, code-server, JupyterLab',
  }),
  ...section('docs/operations.md', {
    'images.healthcheck': 'the health check needs no key on its command line',
    'images.labels': 'the image carries the labels of the Open Container Initiative',
    'images.size': 'the image is at most 1.7 GB on a base of 225 MB, and has no files that only the desktop uses',
    'images.core':
      'sandbox-daemon:core has at most 450 MB, runs commands, terminals and cells, and names what it lacks',
    'images.tini': 'tini is the first process and signals the whole group',
    'images.secrets': "no program of the account's gets the key or a variable of the product's",
    'images.key':
      'the key is in a file of root’s, and in no environment or command line; hooks and own programs do not get it',
    'images.privileges': 'each program has the account and the capabilities that it needs; accounts gain none',
    'images.start-files':
      'from the start to readiness no process of root or of the gateway uses a path that the account could change, but for those that the document explains',
    'images.boot-links': 'links that the account left do not lead the boot to another file',
    'images.setuid': 'a setuid program gives a command nothing, unless SVC_ALLOW_SETUID is true',
    'images.x-cookie': 'the display needs the cookie of the account and has no abstract socket',
    'images.healthy-at-once': 'the engine reports healthy within 1 s of readiness, by a check without a shell',
    'images.healthcheck-time': 'the health check waits less than 4 s',
    'images.crash-loop':
      'any other program of the image that keeps failing starts again, after growing pauses, without an end',
    'images.tools': 'the tools of everyday work are on PATH in commands and terminals, and run',
    'images.account-installs': 'the account installs with pip and npm into its home, and finds the programs by name',
    'images.hook-installs': 'hooks install with pip and npm for everybody',
    'images.pip-list': 'pip list names packages, and no stubs of types',
    'images.ping': 'ping works without privileges',
    'images.skeleton': 'a mounted home gets the files of the skeleton',
    'images.unwritable-mount': 'a mount below the home that the account cannot write is one line of the log',
    'images.fonts': 'there are fonts for the scripts of the world',
    'images.authorities': 'added certificate authorities are trusted by commands and by the browser',
    'images.no-proxy': 'a proxy does not keep the sandbox from itself',
    'images.legacy': 'a compose file of 1.x runs with only the name of the image changed',
    'images.data':
      'the image with the data layer has numpy, pandas, scipy, matplotlib, openpyxl, pillow and ipywidgets',
    'images.desktop-windows':
      'on the desktop the browser covers the display; a popup is smaller, and a person moves it and closes it',
    'images.code': 'cells of every language run in the image as the account, and cannot end the services',
    'images.agents-day': 'a day of work of an agent runs as the account, with and without a network',
    'config.lang': 'the locale of LANG is generated at the boot',
    'images.failed-starts': 'the container ends after ten failed starts in a row of keeper, daemon or gateway',
    'images.hook-directories': 'programs of the drop-in directories of a phase run by name',
    'images.hook-left-behind': 'a background process of a hook does not delay the boot',
    'images.program-killed': 'a killed program restarts without affecting the other programs and their sessions',
    'images.keeper-killed': 'a killed keeper restarts; its commands are lost',
    'images.daemon-restart': 'supervisorctl restart daemon ends the commands',
    'images.unhealthy': 'the container is unhealthy if a required program is stopped',
    'images.user-program': "a user's program is added by a conf file under /opt/svc/supervisord",
    'images.plain': 'a plain docker run works, with a warning if the sandbox of the browser is off',
    'images.seccomp': 'the seccomp profile allows the browser’s sandbox without capabilities or new privileges',
    'images.user': '--user runs everything as that user and logs what is not possible',
    'images.capabilities': 'with dropped capabilities the log says what is not possible',
    'images.read-only': 'a read-only root works with four tmpfs',
    'images.stale-lock': 'a stale lock does not keep the browser from starting',
    'images.stop':
      'docker stop ends within 3 s with exit code 0 and no killed child, and within 10 s if programs ignore it',
    'images.restart': 'docker restart restores everything',
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
    'images.checkpoint': 'a checkpoint is taken and restored as the account, and files of root stay as they are',
    'images.repository':
      'a repository of 20,000 files is identical after clone, export, deletion and import, and can be edited',
    'images.npm-install': 'every change of an npm install is reported by a watcher',
    'images.terminal-recorded': 'a session of programs and 50 MB reaches every viewer as script(1) recorded it',
    'images.terminal': "a terminal is the account's, finds the programs that commands find, and has its page",
    'images.vnc-socket': 'VNC listens on a socket for the gateway alone, on no port',
  }),
];
