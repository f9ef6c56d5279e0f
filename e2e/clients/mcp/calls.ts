/** One call of a tool, and what its result must say. */
export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** In the text of the result. */
  readonly says: string;
  readonly isError?: boolean;
  /** Images in the result. */
  readonly images?: number;
}

/** What a client made of a result. */
interface Seen {
  readonly text: string;
  readonly isError: boolean;
  readonly images: number;
}

/** What a client made of the hub. */
export interface Session {
  readonly names: readonly string[];
  readonly results: readonly Seen[];
}

export interface Address {
  readonly url: string;
  /** Empty without one. */
  readonly key: string;
}

/** Lists the tools, then makes the calls one after another. */
export type Client = (address: Address, calls: readonly Call[]) => Promise<Session>;

export const BUILT_IN = [
  ...['sandbox_execute_bash', 'sandbox_execute_code', 'sandbox_file_operations', 'sandbox_str_replace_editor'],
  ...['sandbox_get_context', 'sandbox_get_packages', 'sandbox_load_skill'],
  ...['browser_get_info', 'browser_gui_screenshot', 'browser_gui_execute_action'],
] as const;

/**
 * Every built-in tool and one of another server; among them a workflow: write a file, count its lines, calculate with
 * it in Python, edit it, read it.
 * @param hasBrowser whether a browser is there; without one its tools are errors that say so
 */
export function callsIn(directory: string, hasBrowser: boolean): readonly Call[] {
  const path = `${directory}/numbers.txt`;
  const browser = (says: string): Partial<Call> & { readonly says: string } =>
    hasBrowser ? { says } : { says: 'browser', isError: true };
  return [
    { tool: 'sandbox_get_context', args: {}, says: '"home_dir"' },
    { tool: 'sandbox_get_packages', args: {}, says: 'Python Packages:' },
    { tool: 'sandbox_load_skill', args: {}, says: 'Skills Count: 0' },
    {
      tool: 'sandbox_file_operations',
      args: { action: 'write', path, content: '3\n4\n5\n' },
      says: '"bytes_written":6',
    },
    { tool: 'sandbox_execute_bash', args: { cmd: `wc -l < ${path}`, cwd: directory }, says: '"output":"3\\n"' },
    {
      tool: 'sandbox_execute_code',
      args: { code: `print("sum", sum(int(line) for line in open("${path}")))`, language: 'python', timeout: 120 },
      says: 'sum 12',
    },
    {
      tool: 'sandbox_str_replace_editor',
      args: { command: 'str_replace', path, old_str: '4\n5', new_str: '40\n5' },
      says: '     2\t40',
    },
    { tool: 'sandbox_file_operations', args: { action: 'read', path }, says: '"content":"3\\n40\\n5\\n"' },
    {
      tool: 'sandbox_file_operations',
      args: { action: 'read', path: `${directory}/absent` },
      says: '"error":"not_found"',
      isError: true,
    },
    { tool: 'fixture_add', args: { a: 1, b: 2 }, says: '3' },
    { tool: 'browser_get_info', args: {}, ...browser('"user_agent"') },
    { tool: 'browser_gui_screenshot', args: {}, ...browser(''), ...(hasBrowser && { images: 1 }) },
    {
      tool: 'browser_gui_execute_action',
      args: { action: { action_type: 'MOVE_TO', x: 20, y: 20 } },
      ...browser('"status":"success"'),
    },
  ];
}
