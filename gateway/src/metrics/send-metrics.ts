import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { sendError, sendResponse } from '../exchange/responses.ts';
import type { Services } from '../services.ts';

/** `GET /gateway/metrics`: the figures of the gateway; those of the daemon are at `/metrics`. */
export async function sendMetrics(exchange: Exchange, { metrics }: Services): Promise<void> {
  if (isUpgrade(exchange) || (exchange.req.method !== 'GET' && exchange.req.method !== 'HEAD')) {
    sendError(exchange, 405, {
      message: 'the metrics are read with GET',
      hint: 'use GET',
      headers: { Allow: 'GET, HEAD' },
    });
    return;
  }
  const { contentType, body } = await metrics.text();
  sendResponse(exchange, 200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }, body);
}
