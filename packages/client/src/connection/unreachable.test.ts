import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Unreachable } from './unreachable.ts';

const { fetch } = globalThis;

beforeEach(() => {
  Object.assign(globalThis, { location: new URL('https://shop.example/') });
  globalThis.fetch = () => Promise.reject(new TypeError('Load failed'));
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, 'location');
  globalThis.fetch = fetch;
});

it.each([
  [
    'ws://media.example/join/1',
    'connection_blocked',
    'pages served over https: can only connect to wss: URLs',
  ],
  ['ws://localhost:7000/join/1', 'connection_failed', 'cannot connect to ws://localhost:7000'],
  ['wss://media.example/join/1', 'connection_failed', 'cannot connect to wss://media.example'],
])('an https page that cannot open %s gets %s', async (url, code, message) => {
  const error = await new Unreachable(url).why(new AbortController().signal);
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
});

it('reports a proxy when the host of a ws: URL responds to an https page', async () => {
  globalThis.fetch = () => Promise.resolve(new Response());
  const error = await new Unreachable('ws://media.example/join/1').why(new AbortController().signal);
  expect(error.message).toContain('responds but does not open a WebSocket');
});
