/** A first call in one language, for an address. None has the key: they read it from SANDBOX_API_KEY. */
export interface Snippet {
  readonly name: string;
  readonly text: string;
  /** What it needs. */
  readonly note: string;
}

/** As `.mcp.json` has a variable of the environment. */
const VARIABLE = `\${SANDBOX_API_KEY}`;

/** @param url of the sandbox, without a slash at the end */
export function snippetsFor(url: string): readonly Snippet[] {
  return [
    {
      name: 'curl',
      note: 'SANDBOX_API_KEY is the key of the sandbox, in each of these.',
      text: `curl -s ${url}/v2/commands -H "x-api-key: $SANDBOX_API_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"command": "echo hello; uname -s"}'`,
    },
    {
      name: 'Python',
      note: 'The standard library is enough.',
      text: `import json, os, urllib.request

request = urllib.request.Request(
    "${url}/v2/commands",
    data=json.dumps({"command": "echo hello; uname -s"}).encode(),
    headers={
        "content-type": "application/json",
        "x-api-key": os.environ.get("SANDBOX_API_KEY", ""),
    },
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer)["data"]["stdout"])`,
    },
    {
      name: 'TypeScript',
      note: '@sandbox/client is clients/typescript of the repository; npm pack makes its package.',
      text: `import { Sandbox } from '@sandbox/client';

const sandbox = await Sandbox.connect({
  url: '${url}',
  apiKey: process.env.SANDBOX_API_KEY,
});
const { stdout } = await sandbox.run('echo hello; uname -s');
console.log(stdout);`,
    },
    {
      name: 'MCP',
      note: 'For clients that read .mcp.json and replace variables of the environment.',
      text: JSON.stringify(
        {
          mcpServers: {
            sandbox: {
              type: 'http',
              url: `${url}/mcp`,
              headers: { 'x-api-key': VARIABLE },
            },
          },
        },
        undefined,
        2,
      ),
    },
  ];
}
