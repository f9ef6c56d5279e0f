import { BATCH_MAX, BATCH_WAIT_MAX, TEXT_MAX_BYTES, WAIT_MAX } from '@sandbox/api/http/computer/action.ts';
import { RECORD_SIDE_MAX } from '@sandbox/api/http/computer/record.ts';
import { describeOptions } from '@sandbox/program/options.ts';
import { expect, test } from 'vitest';
import { REGEX_MS } from './accessibility/name-matcher.ts';
import { MAX_IDS } from './accessibility/node-ids.ts';
import { ACTION_MS, TURN_MS } from './input/action-runner.ts';
import { ComputerUseOptions } from './options.ts';
import { FIRST_PICTURE_MS } from './recording/recorder.ts';
import { END_MS } from './recording/recording.ts';
import { PIXELS_MAX } from './screen/screenshots.ts';
import { WINDOWS_MAX } from './windows/windows.ts';
import { MAX_CONNECTIONS } from './worker.ts';

test('[config.computer-use] every variable of the worker has its documented default', () => {
  const defaults = describeOptions(ComputerUseOptions).map(({ env, fallback }) => [env, fallback]);
  expect(Object.fromEntries(defaults)).toEqual({
    COMPUTER_USE_HOST: '127.0.0.1',
    COMPUTER_USE_PORT: '18100',
    DISPLAY: ':0',
    XAUTHORITY: '',
    DBUS_SESSION_BUS_ADDRESS: '',
    COMPUTER_USE_ALLOWED_HOSTS: '',
    SVC_VALIDATE_RESPONSES: 'false',
    SVC_STALL_SECONDS: '10',
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
    SVC_ACCESS_LOG: 'errors',
    LOG_LEVEL: 'info',
  });
});

test('[config.computer-use] limits of the worker are those of docs/limits.md', () => {
  expect({
    // Milliseconds.
    turn: TURN_MS,
    action: ACTION_MS,
    pattern: REGEX_MS,
    firstPicture: FIRST_PICTURE_MS,
    endOfRecording: END_MS,
    // Seconds.
    wait: WAIT_MAX,
    waitsOfBatch: BATCH_WAIT_MAX,
    // Counts, bytes, pixels.
    batch: BATCH_MAX,
    text: TEXT_MAX_BYTES,
    windows: WINDOWS_MAX,
    ids: MAX_IDS,
    pixels: PIXELS_MAX,
    sideOfRecording: RECORD_SIDE_MAX,
    connections: MAX_CONNECTIONS,
  }).toEqual({
    turn: 30_000,
    action: 40_000,
    pattern: 250,
    firstPicture: 10_000,
    endOfRecording: 5_000,
    wait: 10,
    waitsOfBatch: 20,
    batch: 50,
    text: 1_048_576,
    windows: 200,
    ids: 100_000,
    pixels: 33_177_600,
    sideOfRecording: 7_680,
    connections: 256,
  });
});
