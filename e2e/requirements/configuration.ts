import { later, type Requirement, section } from './requirement.ts';

/** The configuration table: each variable is set, and its effect observed, in a container of the image. */
export const CONFIGURATION: readonly Requirement[] = [
  ...section('docs/contract.md §11', {
    'config.api-key': 'SVC_API_KEY is wanted from every caller and stays out of logs and commands',
    'config.sandbox-api-key': 'SANDBOX_API_KEY is an alias of SVC_API_KEY in the images',
    'config.default-user': 'SVC_DEFAULT_USER is the account of commands; in the images a non-root one by default',
    'config.start-auto': 'BROWSER_START_MODE=auto: readiness waits for the browser',
    'config.start-async': 'BROWSER_START_MODE=async: the browser is off the way to readiness',
    'config.start-manual': 'BROWSER_START_MODE=manual: no browser is started before it is asked for',
    'browser.auto': 'the daemon with the start mode auto is ready when the browser answers',
    'browser.async': 'the daemon with the start mode async is ready without it',
    'browser.manual-ready': 'the daemon with the start mode manual is ready without it',
    'config.code-server': 'DISABLE_CODE_SERVER=false serves code-server',
    'config.jupyter': 'DISABLE_JUPYTER=false serves JupyterLab',
    'config.disabled': 'both are off by default',
    'config.workspace': "WORKSPACE has to stay the account's home; anything else ends the boot",
    'config.backends': 'the shell and the code backend are pinned to native in the images',
    'config.debugging-port': 'BROWSER_REMOTE_DEBUGGING_PORT is the port of the DevTools',
    'config.debugging-host': 'BROWSER_REMOTE_DEBUGGING_HOST of elsewhere: the image starts no browser',
    'config.browser-args': 'BROWSER_EXTRA_ARGS are further flags of the browser',
    'config.homepage': 'HOMEPAGE is the start page',
    'config.hook-init': 'RUN_HOOK_INIT runs in the entrypoint before anything starts',
    'config.hook-pre-services': 'RUN_HOOK_PRE_SERVICES runs before the services start',
    'config.hook-post-ready': 'RUN_HOOK_POST_READY runs once the daemon is healthy',
    'config.hooks-strict': 'RUN_HOOKS_STRICT=true makes a failing hook fatal; otherwise it is logged',
  }),
  ...section('docs/contract.md §11', {
    'config.api-key-file': 'SVC_API_KEY_FILE names a file that holds the key',
    'config.browser-lang': 'BROWSER_LANG is the language of the browser',
    'config.browser-agent': 'BROWSER_USER_AGENT is what the browser calls itself',
    'config.browser-resolution': 'BROWSER_RESOLUTION is the size of the browser and its display',
    'config.proxy-server': 'PROXY_SERVER is the proxy of the browser and of commands, PROXY_EXCLUDE its exceptions',
    'config.proxy-map': 'PROXY_MAP sends hosts elsewhere',
    'config.gateway-port': 'GATEWAY_PORT is the public port',
    'config.log-level': 'LOG_LEVEL is the least severe level that is logged',
    'config.user-variables': 'what the container was started with reaches the commands',
    'config.wrong-value': 'a wrong value ends the boot with one line that names it',
  }),
  ...section('docs/contract.md §11', {
    'config.extra-mcp-servers': 'EXTRA_MCP_SERVERS registers further MCP servers',
    'config.skills-path': 'SVC_SKILLS_PATH is read by sandbox_load_skill',
  }),
  ...section('docs/contract.md §7', {
    'config.computer-use-url': 'SVC_COMPUTER_USE_URL is the address of the worker',
  }),
  ...later('desktop', 'docs/contract.md §11', {
    'config.desktop': 'SVC_DESKTOP selects the desktop environment of the desktop image',
    'config.enable-dbus': 'ENABLE_DBUS starts the session bus of the desktop image',
  }),
  ...section('docs/contract.md §11', {
    'config.kernel-prewarm': 'SVC_KERNEL_PREWARM, or JUPYTER_POOL_SIZE, keeps kernels warm',
  }),
  ...later('kernels', 'docs/contract.md §11', {
    'config.kernel-limits':
      'SVC_KERNEL_MAX_SESSIONS, SVC_KERNEL_PRELOAD, SVC_CODE_PREWARM and SVC_JUPYTER_ENDPOINT hold',
  }),
  ...section('docs/contract.md §11', {
    'config.agent-browser': 'SVC_AGENT_BROWSER_BIN is delegated the ref suite',
  }),
  ...section('docs/contract.md §11', { 'config.preview-path': 'SVC_PREVIEW_PATH opens, isolates or refuses previews' }),
  ...section('docs/contract.md §11', {
    'config.terminals': 'SVC_PTY_HISTORY_BYTES, SVC_SHELL_MAX_SESSIONS and SVC_SHELL_SESSION_TIMEOUT hold',
  }),
];
