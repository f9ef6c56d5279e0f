import { expect, test } from 'vitest';
import { typedAddress } from './typed-address.ts';

test.each([
  ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
  [' localhost:3000/a?b ', 'http://localhost:3000/a?b'],
  ['localhost', 'http://localhost'],
  ['3000.localhost:8080', 'http://3000.localhost:8080'],
  ['[::1]:8080/x', 'http://[::1]:8080/x'],
  ['web:5173', 'http://web:5173'],
  ['10.0.0.7', 'http://10.0.0.7'],
  ['example.com', 'https://example.com'],
  ['example.com/a:b', 'https://example.com/a:b'],
  ['example.com:8000', 'http://example.com:8000'],
  ['example.com:443', 'https://example.com:443'],
  ['https://127.0.0.1:1', 'https://127.0.0.1:1'],
  ['about:blank', 'about:blank'],
  ['file:///tmp/a.html', 'file:///tmp/a.html'],
  ['data:text/html,x', 'data:text/html,x'],
])('[app.typed-address] %s is opened as %s', (typed, address) => {
  expect(typedAddress(typed)).toBe(address);
});
