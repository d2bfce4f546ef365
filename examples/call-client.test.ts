import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { WebSocketServer, type WebSocket } from 'ws';
import { CallClient } from './call-client.ts';

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const part of open.splice(0)) part.close();
});

function connect(port: number): Promise<CallClient> {
  return CallClient.connect({
    joinUrl: `ws://127.0.0.1:${port}/join`,
    inputSampleRateHz: 16_000,
    outputSampleRateHz: 16_000,
  });
}

describe('CallClient', () => {
  it('does not reconnect when its first connection fails', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    open.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(connect(port)).rejects.toThrow();
    // A reconnection attempt would have arrived before this connection.
    await expect(connect(port)).rejects.toThrow();
    await expect(connect(port)).rejects.toThrow();
    expect(connections).toBe(3);
  });

  it('receives messages that the server sends immediately after the handshake', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    open.push(server);
    await once(server, 'listening');
    server.on('connection', (socket) => socket.send(JSON.stringify({ type: 'state', state: 'listening' })));
    const client = await connect((server.address() as AddressInfo).port);
    await client.until('its state', () => client.state === 'listening');
    await client.hangUp();
  });

  it('reconnects when its server stops responding without closing the connection', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
    open.push(server);
    await once(server, 'listening');
    const client = await connect((server.address() as AddressInfo).port);
    const [again] = (await once(server, 'connection')) as [WebSocket];
    again.send(JSON.stringify({ type: 'state', state: 'listening' }));
    await client.until('its state', () => client.state === 'listening');
    expect(client.returns).toBe(1);
    client.cut();
  });

  it('stays connected to a server that sends no messages', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    open.push(server);
    await once(server, 'listening');
    const connected = once(server, 'connection') as Promise<[WebSocket]>;
    const client = await connect((server.address() as AddressInfo).port);
    const [socket] = await connected;
    for (let pings = 0; pings < 6; pings += 1) await once(socket, 'ping');
    expect(client.returns).toBe(0);
    await client.hangUp();
  });
});
