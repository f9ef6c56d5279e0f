import process from 'node:process';
import { VERSION } from '@sandbox/api/version.ts';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { TestApp } from '../app.fixture.ts';
import { hasKeeper } from '../hosts.fixture.ts';

async function metricsOf(daemon: TestApp): Promise<string> {
  return (await daemon.inject('/metrics')).body;
}

/** The value of a series without labels, or with exactly these. */
async function figureOf(daemon: TestApp, series: string): Promise<number> {
  const line = (await metricsOf(daemon)).split('\n').find((text) => text.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

test('[metrics.series] every part of the service has its series', async () => {
  await using daemon = await TestApp.start({ stallSeconds: 7 });
  await daemon.post('/v2/pty/sessions', { id: 'one' });
  await daemon.post('/v2/watch', { path: daemon.directory });
  const text = await metricsOf(daemon);
  for (const [series, value] of [
    ['commands_running', 0],
    ['command_sessions', 0],
    ['terminal_sessions', 1],
    ['terminal_viewers', 0],
    ['terminal_dropped_bytes', 0],
    ['code_sessions', 0],
    ['browser_tabs', 0],
    ['watchers', 1],
    ['http_open_websockets', 0],
    ['daemon_unexpected_ends_total', 0],
    ['watchdog_limit_seconds', 7],
    ...(hasKeeper ? [['keeper_up', 1] as const, ['keeper_living_processes', 1] as const] : []),
  ] as const) {
    expect(text).toContain(`\n${series} ${value}\n`);
  }
  expect(text).toMatch(/\nnodejs_eventloop_lag_p99_seconds [\d.e-]+\n/);
  if (hasKeeper) expect(text).toContain('# TYPE keeper_started_total counter\n');
});

test('[metrics.sandbox] the sandbox has its memory, processors, disk and build', async () => {
  await using daemon = await TestApp.start();
  const text = await metricsOf(daemon);
  for (const [series, least] of [
    ['sandbox_memory_used_bytes', 1],
    ['sandbox_memory_limit_bytes', 1],
    ['sandbox_cpu_seconds_total', 0],
    ['sandbox_cpu_limit', 0.01],
    ['sandbox_disk_used_bytes', 1],
    ['sandbox_disk_size_bytes', 1],
    ...(process.platform === 'linux' ? [['sandbox_network_sent_bytes_total', 0] as const] : []),
  ] as const) {
    expect([series, await figureOf(daemon, series)]).toEqual([
      series,
      expect.toSatisfy((figure: number) => figure >= least),
    ]);
  }
  expect(text).toContain(`\nsandbox_build_info{version="${VERSION}",node="${process.version}"} 1\n`);
});

test('[metrics.routes] paths that are no route are one series for each method and status, however many there are', async () => {
  await using daemon = await TestApp.start();
  for (let n = 0; n < 50; n += 1) await daemon.inject(`/v2/commands/${n}`);
  for (let n = 0; n < 50; n += 1) await daemon.inject(`/wp-admin/${n}.php?x=${n}`);
  const text = await metricsOf(daemon);
  const requests = text.split('\n').filter((line) => line.startsWith('http_requests_total{'));
  expect(requests).toEqual([
    'http_requests_total{method="GET",route="/v2/commands/:command_id",status="404"} 50',
    'http_requests_total{method="GET",route="unmatched",status="404"} 50',
  ]);
});

test('[metrics.bytes] bytes and WebSockets of open connections count, and their end takes no byte back', async () => {
  await using daemon = await TestApp.start();
  const url = await daemon.listen();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v2/pty/ws`);
  await new Promise((resolve) => socket.once('message', resolve));
  expect(await figureOf(daemon, 'http_open_websockets')).toBe(1);
  const [received, sent] = [
    await figureOf(daemon, 'http_received_bytes_total'),
    await figureOf(daemon, 'http_sent_bytes_total'),
  ];
  expect([received > 100, sent > 100]).toEqual([true, true]);
  socket.terminate();
  await expect.poll(() => figureOf(daemon, 'http_open_connections')).toBe(0);
  await expect.poll(() => figureOf(daemon, 'http_open_websockets')).toBe(0);
  expect(await figureOf(daemon, 'http_received_bytes_total')).toBeGreaterThanOrEqual(received);
  expect(await figureOf(daemon, 'http_sent_bytes_total')).toBeGreaterThanOrEqual(sent);
});

test('[metrics.dropped] output over the cap of a command counts as dropped', async () => {
  await using daemon = await TestApp.start({ commandOutputMaxBytes: 1024 ** 2 });
  await daemon.run('head -c 100 /dev/zero');
  expect(await figureOf(daemon, 'command_output_bytes_total')).toBe(100);
  expect(await figureOf(daemon, 'command_output_dropped_bytes_total')).toBe(0);
  await daemon.run('head -c 4194304 /dev/zero');
  expect(await figureOf(daemon, 'command_output_bytes_total')).toBe(4_194_404);
  expect(await figureOf(daemon, 'command_output_dropped_bytes_total')).toBeGreaterThan(2 * 1024 ** 2);
});
