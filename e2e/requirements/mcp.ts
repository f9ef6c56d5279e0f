import { type Requirement, section } from './requirement.ts';

/** The MCP hub: the protocol, the built-in tools, and the tools of other servers. */
export const MCP: readonly Requirement[] = [
  ...section('docs/mcp.md', {
    'mcp.tool-sets':
      'SVC_MCP_TOOLS, or ?tools= of a client: core has the built-in tools alone, full (the default) all, 1.x also names of 1.x',
    'mcp.sizes':
      'the list of tools has at most 36 kB with those of pages and without extra servers, that of core 12 kB',
    'mcp.code-session': 'sandbox_code runs cells in sessions that keep their variables, and returns pictures',
    'mcp.terminal': 'sandbox_terminal opens, uses, shows, lists and closes terminals',
    'mcp.accessibility':
      'sandbox_accessibility reads and uses nodes of programs; without a display it names the next step',
    'mcp.preview': 'sandbox_preview makes a link that opens one port, with a ticket if a key is needed',
    'mcp.checkpoint': 'sandbox_checkpoint takes checkpoints, shows what has changed and restores it',
    'mcp.watch': 'sandbox_watch starts, polls, lists and stops watchers',
    'mcp.refused': 'the tools of the full set name a wrong argument',
    'mcp.resources':
      'files below the home and outputs of commands are resources: lists with pages, bounded reads, templates',
    'mcp.resources-refused':
      'a resource elsewhere, one that is unknown and a wrong cursor are errors with the next step',
    'mcp.search-content': 'search of sandbox_file_operations takes content for pattern',
    'mcp.languages': 'the tools for code take node, js and py for the names of the languages',
    'mcp.command':
      'sandbox_command lists, reads from an offset, feeds, ends and waits for commands, also those of sandbox_execute_bash',
    'mcp.command-bounded': 'one answer of sandbox_command is bounded, and its offsets continue without a gap',
    'mcp.command-refused': 'sandbox_command names the wrong argument and the next step',
    'mcp.bash-hard-timeout': 'hard_timeout of sandbox_execute_bash ends the command with all that it started',
    'mcp.aliases': 'with SVC_MCP_TOOLS=1.x names of the task sets of 1.x do what the tools of pages do',
  }),
  ...section('docs/contract.md §9', {
    'mcp.plain-post':
      'a plain POST to /mcp or /v1/mcp without initialize, session or text/event-stream in Accept gets JSON',
    'mcp.errors': 'unknown method −32601, unknown tool −32602, not JSON −32700 with HTTP 200',
    'mcp.ids': 'an id is returned unchanged; an invalid id is an invalid request',
    'mcp.too-large': 'a body over 8 MiB is 413',
    'mcp.methods': 'GET and DELETE are 405',
    'mcp.notifications': 'notifications and responses are 202',
    'mcp.negotiation':
      '2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25 are negotiated; MCP-Protocol-Version is checked',
    'mcp.modern': 'clients of 2026-07-28 are served without a handshake',
    'mcp.batches': 'batches are served in 2025-03-26 only',
    'mcp.progress': 'a long call streams its output while it runs, if the client asked for progress',
    'mcp.cancelled':
      'notifications/cancelled ends the call that it names without doubt, and what it began; it passes to other servers',
    'mcp.sdk-client': 'the client of the official SDK lists and calls tools',
    'mcp.malformed': 'malformed JSON-RPC messages get the codes of JSON-RPC and never a 500',
    'mcp.order': 'the built-in tools are listed in the order of the contract',
    'mcp.described': 'a tool says what it is for, with an example that its schema accepts, and has annotations',
    'mcp.structured': 'structured content fits the output schema of its tool',
    'mcp.arguments': 'a missing argument is an isError result that names it',
    'mcp.unknown-argument':
      'an unknown argument of a built-in tool is an isError result with the nearest known one, except on /v1/mcp and with SVC_STRICT=false',
    'mcp.bash': 'sandbox_execute_bash answers status, output, exit_code and cwd',
    'mcp.bash-directory':
      'the directory in which one call ends is where the next begins; new_session isolates; preserve_symlinks keeps links',
    'mcp.bash-timeout': 'a command that needs more time than timeout keeps running',
    'mcp.bash-left': 'a command whose client leaves keeps running',
    'mcp.bash-bounded': 'long output is bounded with a hint; truncate false gives it',
    'mcp.bash-parallel': 'parallel calls do not mix',
    'mcp.files': 'sandbox_file_operations has the eight actions',
    'mcp.files-failure': 'a failed file operation answers {action, path, success: false, message, error} with isError',
    'mcp.editor': 'sandbox_str_replace_editor shows the numbered snippet',
    'mcp.context': 'sandbox_get_context is JSON, sandbox_get_packages is text',
    'mcp.browser':
      'browser_get_info is JSON, browser_gui_screenshot a PNG, browser_gui_execute_action acts where the picture shows',
    'mcp.skills': 'sandbox_load_skill lists the skills of SVC_SKILLS_PATH, or gives base path and SKILL.md',
    'mcp.skills-unusable': 'skills that cannot be used are reported; links out of the folder are not followed',
    'mcp.upstream': 'tools of EXTRA_MCP_SERVERS are published as <prefix>_<tool>',
    'mcp.upstream-name': 'without a prefix only names that begin with <name>_ are published',
    'mcp.upstream-collision': 'built-in tools win, then the server that was registered first',
    'mcp.upstream-away': 'a server that does not answer is absent from the list and an isError on call',
    'mcp.upstream-late':
      'a server that answers late is listed as before, and as it answers once it has; no list is kept that lacks it',
    'mcp.upstream-skipped':
      'servers beyond loopback, stdio servers and servers that need a session are left out with a warning',
    'mcp.upstream-pages': 'the cursors of other servers are followed, and the list of the hub is one page',
    'mcp.upstream-progress': 'progress of other servers passes through',
    'mcp.upstream-hostile': 'a server that hangs, answers nonsense or too much ends its own call only',
    'mcp.browser-server':
      'tools of the browser MCP server are published, while it answers if they are not known without it, unless disabled',
    'mcp.agent': 'a scripted agent mends a failing test with the tools alone',
    'mcp.custom-image': 'a custom image adds a server by the documented recipe',
    'mcp.configuration': 'a wrong EXTRA_MCP_SERVERS ends the boot with one line that names it',
  }),
];
