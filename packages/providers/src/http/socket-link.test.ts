import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProviderError } from '@calls/engine-ports/provider-error';
import { systemClock, withTimeout } from '@calls/foundation/clock';
import { expect, it } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { SocketLink } from './socket-link.ts';

it('is lost after the close frame of a provider that leaves the connection open', async () => {
  const provider = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(provider, 'listening');
  let stream: Duplex | undefined;
  provider.on('connection', (socket, request) => {
    stream = request.socket;
    stream.end = () => request.socket;
    socket.close(1011, 'overloaded');
  });
  const lost = Promise.withResolvers<ProviderError>();
  const link = new SocketLink({
    provider: 'test',
    clock: systemClock,
    url: new URL(`http://127.0.0.1:${(provider.address() as AddressInfo).port}`),
    headers: {},
    confidential: [],
    connectTimeoutMs: 10_000,
    onText: () => undefined,
    onLost: lost.resolve,
  });
  try {
    const { message } = await withTimeout(systemClock, lost.promise, 15_000, 'the end');
    expect(message).toContain('code 1011: overloaded');
  } finally {
    link.close();
    stream?.destroy();
    provider.close();
  }
});
