import type { Size } from '../../core/desktop/desktop.ts';

/** What the worker says of the display. */
export interface DesktopInfo {
  readonly available: boolean;
  readonly screen_resolution: Size | null;
  readonly warnings: readonly string[];
  readonly [field: string]: unknown;
}

/** Whether the data that stands as info is that of a worker. */
export function isDesktopInfo(data: unknown): data is DesktopInfo {
  const { available, screen_resolution: size, warnings } = Object(data) as Record<string, unknown>;
  const isListed = Array.isArray(warnings) && warnings.every((warning) => typeof warning === 'string');
  return typeof available === 'boolean' && (size === null || isSize(size)) && isListed;
}

function isSize(size: unknown): boolean {
  const { width, height } = Object(size) as Record<string, unknown>;
  return Number.isSafeInteger(width) && Number.isSafeInteger(height);
}
