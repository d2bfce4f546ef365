import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';

/** Both ends of a real connection. Disposing it closes both. */
export interface SocketPair extends Disposable {
  client: WebSocket;
  /** The server end. */
  socket: WebSocket;
}

export async function connectSockets(
  options: Pick<ServerOptions, 'maxPayload' | 'maxFragments'> = {},
): Promise<SocketPair> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options });
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[socket]] = await Promise.all([accepted, once(client, 'open')]);
  client.on('error', () => undefined);
  return {
    client,
    socket,
    [Symbol.dispose]() {
      client.terminate();
      server.close();
    },
  };
}
