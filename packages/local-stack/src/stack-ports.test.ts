import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { findFreePorts } from './free-port.ts';
import { ONE_OF_EACH } from './stack-size.ts';
import { requireFreePorts, type StackPorts } from './stack-ports.ts';

async function freePorts(): Promise<StackPorts> {
  return {
    api: await findFreePorts(1),
    media: await findFreePorts(1),
    metrics: await findFreePorts(3),
    rtc: 0,
    rtcEach: 1,
  };
}

describe('requireFreePorts', () => {
  it('passes free ports', async () => {
    await expect(requireFreePorts(await freePorts(), ONE_OF_EACH)).resolves.toBeUndefined();
  });

  it('names each taken port and the variable that moves it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ports = await freePorts();
    try {
      await expect(requireFreePorts({ ...ports, media: port }, ONE_OF_EACH)).rejects.toThrow(
        `port ${port} (MEDIA_PORT) is taken`,
      );
    } finally {
      server.close();
    }
  });

  it('is not misled by listeners that would share a port, and looks at the ports of every process', async () => {
    const ports = await freePorts();
    const server = createServer().listen({ port: ports.api, reusePort: true });
    await once(server, 'listening');
    try {
      await expect(requireFreePorts(ports, ONE_OF_EACH)).rejects.toThrow(`port ${ports.api} (PORT) is taken`);
      const metrics = ports.api - 4;
      const size = { ...ONE_OF_EACH, 'media-worker': 2 };
      await expect(requireFreePorts({ ...ports, metrics }, size)).rejects.toThrow(
        `port ${ports.api} (METRICS_PORT + 4) is also PORT`,
      );
    } finally {
      server.close();
    }
  });

  it('looks at the WebRTC ports of every media worker, UDP and TCP', async () => {
    const ports = await freePorts();
    const size = { ...ONE_OF_EACH, 'media-worker': 2 };
    await expect(requireFreePorts({ ...ports, rtc: ports.media - 3, rtcEach: 2 }, size)).rejects.toThrow(
      `port ${ports.media} (RTC_PORT + 3) is also MEDIA_PORT`,
    );
    const socket = createSocket('udp4').bind(0);
    await once(socket, 'listening');
    const { port } = socket.address();
    await expect(requireFreePorts({ ...ports, rtc: port }, ONE_OF_EACH)).rejects.toThrow(
      `port ${port} (RTC_PORT) is taken`,
    );
    socket.close();
  });

  it('finds two variables with the same port', async () => {
    const ports = await freePorts();
    await expect(requireFreePorts({ ...ports, media: ports.api }, ONE_OF_EACH)).rejects.toThrow(
      `port ${ports.api} (MEDIA_PORT) is also PORT`,
    );
  });
});
