import playwrightMcp from '@playwright/mcp';
import type { BrowserContext } from 'playwright-core';
import type { McpServer } from './shared-session.ts';

/**
 * The MCP server of Playwright on a context that is asked for at the first tool call, and again after its browser has
 * disconnected. The account's home is its working directory: tools read and write files below it alone.
 */
export async function pageTools(outputDir: string, context: () => Promise<BrowserContext>): Promise<McpServer> {
  const config = { outputDir, filePaths: 'absolute', sharedBrowserContext: true } as const;
  return (await playwrightMcp.createConnection(config, context as never)) as unknown as McpServer;
}
