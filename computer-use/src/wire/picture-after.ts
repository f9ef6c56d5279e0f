import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Screenshots } from '../screen/screenshots.ts';

/** The picture of an answer; that it could not be taken is not a failure of the action. */
export async function pictureAfter(
  screenshots: Screenshots,
): Promise<{ readonly screenshot: string } | { readonly screenshot_error: string }> {
  try {
    const { bytes } = await screenshots.take({ format: 'png', scale: 1, cursor: false });
    return { screenshot: bytes.toString('base64') };
  } catch (error) {
    if (error instanceof SandboxError) return { screenshot_error: error.message };
    throw error;
  }
}
