import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, Server } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { findFreePorts } from './free-port.ts';
import { DEFAULT_SIP_RTP_PORTS, ONE_OF_EACH, type StackPorts, type StackSize } from './stack-size.ts';
import { silentReporter, type Reporter } from './reporter.ts';
import { requireFreePorts, sipPortOf, sipRtpPortsOf } from './stack-ports.ts';

/** Free ports for the stack, and `other`, which the stack does not use. */
async function freePorts(): Promise<StackPorts & { other: number }> {
  const first = await findFreePorts(SPACING * 4);
  return {
    metrics: first,
    api: first + SPACING,
    media: first + 2 * SPACING,
    other: first + 3 * SPACING,
    rtc: 0,
    rtcEach: 1,
    sip: 0,
    sipRtp: DEFAULT_SIP_RTP_PORTS,
  };
}

/** More than the consecutive ports that any test uses. */
const SPACING = 5;

/** Does not wait for ports that are in use. */
function requireFree(ports: StackPorts, size: StackSize): Promise<void> {
  const { signal } = new AbortController();
  return requireFreePorts(ports, size, { reporter: silentReporter, signal, waitMs: 0 });
}

describe('requireFreePorts', () => {
  it('accepts free ports', async () => {
    await expect(requireFree(await freePorts(), ONE_OF_EACH)).resolves.toBeUndefined();
  });

  it('reports each port that is in use and the variable that changes it', async () => {
    const { other: port, ...ports } = await freePorts();
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    try {
      await expect(requireFree({ ...ports, media: port }, ONE_OF_EACH)).rejects.toThrow(
        `port ${port} (MEDIA_PORT) is taken by process ${process.pid} (`,
      );
    } finally {
      server.close();
    }
  });

  it('reports a port that this user may not use', async () => {
    const ports = { ...(await freePorts()), api: 80 };
    const reason = 'listen EACCES: permission denied 0.0.0.0:80';
    const listen = jest.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
      queueMicrotask(() => this.emit('error', Object.assign(new Error(reason), { code: 'EACCES' })));
      return this;
    });
    try {
      await expect(requireFree(ports, ONE_OF_EACH)).rejects.toThrow(
        `port 80 (PORT) cannot be used by this user: ${reason}`,
      );
    } finally {
      listen.mockRestore();
    }
  });

  it('waits for a port that becomes free', async () => {
    const { other: port, ...ports } = await freePorts();
    const server = createServer().listen(port);
    await once(server, 'listening');
    const notices: string[] = [];
    const reporter: Reporter = {
      ...silentReporter,
      notice: (_, text) => {
        notices.push(text);
        server.close();
      },
    };
    const { signal } = new AbortController();
    await requireFreePorts({ ...ports, api: port }, ONE_OF_EACH, { reporter, signal, waitMs: 60_000 });
    expect(notices).toEqual([`waiting for port ${port} (PORT)`]);
  });

  it('detects listeners that share their port, and checks the ports of every process', async () => {
    const ports = await freePorts();
    const server = createServer().listen({ port: ports.api, reusePort: true });
    await once(server, 'listening');
    try {
      await expect(requireFree(ports, ONE_OF_EACH)).rejects.toThrow(`port ${ports.api} (PORT) is taken`);
      const metrics = ports.api - 4;
      const size = { ...ONE_OF_EACH, 'media-worker': 2 };
      await expect(requireFree({ ...ports, metrics }, size)).rejects.toThrow(
        `port ${ports.api} (METRICS_PORT + 4) is also PORT`,
      );
    } finally {
      server.close();
    }
  });

  it('checks the WebRTC ports of every media-worker, UDP and TCP', async () => {
    const ports = await freePorts();
    const size = { ...ONE_OF_EACH, 'media-worker': 2 };
    await expect(requireFree({ ...ports, rtc: ports.media - 3, rtcEach: 2 }, size)).rejects.toThrow(
      `port ${ports.media} (RTC_PORT + 3) is also MEDIA_PORT`,
    );
    const socket = createSocket('udp4').bind(ports.other);
    await once(socket, 'listening');
    await expect(requireFree({ ...ports, rtc: ports.other }, ONE_OF_EACH)).rejects.toThrow(
      `port ${ports.other} (RTC_PORT) is taken`,
    );
    socket.close();
  });

  it('reports two variables with the same port', async () => {
    const ports = await freePorts();
    await expect(requireFree({ ...ports, media: ports.api }, ONE_OF_EACH)).rejects.toThrow(
      `port ${ports.api} (MEDIA_PORT) is also PORT\nSet each variable to a free port`,
    );
  });

  it('reports SIP ports that the stack uses twice, and leaves those of other programs to the media-worker', async () => {
    const ports = await freePorts();
    const size = { ...ONE_OF_EACH, 'media-worker': 2 };
    await expect(requireFree({ ...ports, sip: ports.media - 1 }, size)).rejects.toThrow(
      `port ${ports.media} (SIP_PORT + 1) is also MEDIA_PORT`,
    );
    await expect(requireFree({ ...ports, sip: 5060, sipTls: 5061 }, size)).rejects.toThrow(
      'port 5061 (SIP_TLS_PORT) is also SIP_PORT + 1',
    );
    await expect(requireFree({ ...ports, sip: 21_999 }, ONE_OF_EACH)).rejects.toThrow(
      'port 21999 (SIP_PORT) is also one of SIP_RTP_PORTS',
    );
    const server = createServer().listen(ports.other);
    await once(server, 'listening');
    await expect(requireFree({ ...ports, sip: ports.other }, ONE_OF_EACH)).resolves.toBeUndefined();
    server.close();
  });
});

describe('the SIP ports', () => {
  const ports = {
    ...{ api: 1, media: 2, metrics: 3, rtc: 0, rtcEach: 1, sip: 5060 },
    sipRtp: { first: 20_000, last: 21_999 },
  };

  it('are one per media-worker, and the RTP ports are divided among the workers', () => {
    expect([0, 1, 2].map((index) => sipPortOf(ports, index))).toEqual([5060, 5061, 5062]);
    expect(sipPortOf({ ...ports, sip: 0 }, 2)).toBe(0);
    expect(sipRtpPortsOf(ports, 0, 1)).toBe('20000-21999');
    expect([0, 1, 2].map((index) => sipRtpPortsOf(ports, index, 3))).toEqual([
      '20000-20665',
      '20666-21331',
      '21332-21997',
    ]);
  });
});
