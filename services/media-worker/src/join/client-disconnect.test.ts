import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { destroyOnDisconnect } from './client-disconnect.ts';

const open: { destroy(): void }[] = [];
afterEach(() => {
  for (const part of open.splice(0)) part.destroy();
});

/** Both ends of a connection. As after an HTTP upgrade, the server end does not close automatically with the client. */
async function connection(): Promise<{ client: Socket; ours: Socket }> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [ours] = (await once(server, 'connection')) as [Socket];
  server.close();
  open.push(client, ours);
  return { client, ours };
}

describe('destroyOnDisconnect', () => {
  it('detects that the client closed its connection while the stream is not read', async () => {
    const { client, ours } = await connection();
    destroyOnDisconnect(ours);
    client.end();
    await once(ours, 'close');
    expect(ours.destroyed).toBe(true);
  });

  it('loses no data of a client that stays', async () => {
    const { client, ours } = await connection();
    const done = destroyOnDisconnect(ours);
    client.write('early, ');
    await once(ours, 'readable');
    done();
    let received = '';
    ours.on('data', (chunk: Buffer) => (received += chunk.toString()));
    client.end('late');
    await once(ours, 'end');
    expect(received).toBe('early, late');
  });
});
