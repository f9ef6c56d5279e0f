import playwrightMcp from '@playwright/mcp';
import type { BrowserContext } from 'playwright-core';
import type { McpServer } from './shared-session.ts';

interface PageToolsTerms {
  readonly outputDir: string;
  /** Whether tools open `file:` addresses, and read and write files beyond the working directory. */
  readonly fileUrls: boolean;
}

/**
 * The MCP server of Playwright on a context that is asked for at the first tool call, and again after its browser has
 * disconnected. The account's home is its working directory.
 */
export async function pageTools(terms: PageToolsTerms, context: () => Promise<BrowserContext>): Promise<McpServer> {
  const { outputDir, fileUrls: allowUnrestrictedFileAccess } = terms;
  const config = { outputDir, filePaths: 'absolute', sharedBrowserContext: true, allowUnrestrictedFileAccess } as const;
  return (await playwrightMcp.createConnection(config, context as never)) as unknown as McpServer;
}
