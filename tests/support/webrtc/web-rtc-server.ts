import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebRtcSpec } from '@calls/api-contract/call-spec';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { MediaTransport, TransportEvent } from '@calls/conversation/ports/media-transport';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { createLogger } from '@calls/foundation/logger';
import { MAX_FRAME_BYTES } from '@calls/transports/client-socket/client-socket';
import type { LinkSample } from '@calls/transports/link-statistics';
import { OpusThread } from '@calls/transports/opus/opus-thread';
import { RtpThread } from '@calls/transports/rtp-thread/rtp-thread';
import { WebRtc } from '@calls/transports/webrtc/web-rtc';
import type { WebRtcMeter } from '@calls/transports/webrtc/web-rtc-meter';
import { WebSocketServer, type WebSocket } from 'ws';
import { mediasoupWorkerBinary } from '../mediasoup-worker.ts';

/**
 * The WebRTC transports of the service behind a socket, without calls. Each join is a transport; joins with the same
 * path belong to the same call.
 */
export class WebRtcServer implements AsyncDisposable {
  readonly webRtc: WebRtc;
  readonly url: string;
  readonly joins: MediaTransport[] = [];
  readonly outcomes: { outcome: string; durationMs: number }[];
  readonly samples: LinkSample[];
  readonly #server: WebSocketServer;
  readonly #opus: OpusThread;
  readonly #rtp: RtpThread;

  private constructor(
    { webRtc, opus, rtp }: { webRtc: WebRtc; opus: OpusThread; rtp: RtpThread },
    server: WebSocketServer,
    { outcomes, samples }: Pick<WebRtcServer, 'outcomes' | 'samples'>,
    spec: WebRtcSpec,
  ) {
    this.webRtc = webRtc;
    this.#opus = opus;
    this.#rtp = rtp;
    this.outcomes = outcomes;
    this.samples = samples;
    this.#server = server;
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (socket: WebSocket, { url = '/' }: IncomingMessage) => {
      const callId = url === '/' ? randomUUID() : url;
      void webRtc.negotiate({ callId, spec, deadlineMs: Date.now() + 60_000 }, socket).then((transport) => {
        if (transport) this.joins.push(transport);
      });
    });
  }

  /** `announced`: the address announced to clients; the server listens on 127.0.0.1. */
  static async start(
    options: { workers?: number; spec?: WebRtcSpec; clock?: Clock; port?: number; announced?: string } = {},
  ): Promise<WebRtcServer> {
    const outcomes: WebRtcServer['outcomes'] = [];
    const samples: WebRtcServer['samples'] = [];
    const meter: WebRtcMeter = {
      setUp: (outcome, durationMs) => outcomes.push({ outcome, durationMs }),
      sample: (sample) => samples.push(sample),
      lost: (reason) => outcomes.push({ outcome: `lost_${reason}`, durationMs: 0 }),
      iceRestarted: () => outcomes.push({ outcome: 'ice_restarted', durationMs: 0 }),
      workerDied: () => outcomes.push({ outcome: 'worker_died', durationMs: 0 }),
    };
    const log = createLogger({ service: 'webrtc-test', level: 'silent', logPii: false });
    // The Opus thread uses the system clock, because with a virtual clock it would seem to hang.
    const opus = await OpusThread.start({ clock: systemClock, log });
    const rtp = await RtpThread.start({ clock: systemClock, log });
    const webRtc = await WebRtc.start({
      opus,
      rtp,
      config: {
        workerBin: mediasoupWorkerBinary(),
        port: options.port ?? 0,
        workers: options.workers ?? 1,
        addresses: { listen: '127.0.0.1', announced: options.announced ?? '' },
        turn: { urls: [], credentials: { kind: 'none' } },
      },
      meter,
      clock: options.clock ?? systemClock,
      log,
    });
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: MAX_FRAME_BYTES });
    await once(server, 'listening');
    return new WebRtcServer(
      { webRtc, opus, rtp },
      server,
      { outcomes, samples },
      options.spec ?? { kind: 'webRtc', dataMessages: {} },
    );
  }

  /** Transport of the client that joined last. */
  get transport(): MediaTransport {
    const transport = this.joins.at(-1);
    if (!transport) throw new Error('no client has joined');
    return transport;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Module variables of test files still refer to stopped servers. Clearing `joins` makes their transports
    // collectable.
    await Promise.all(this.joins.splice(0).map((transport) => transport.close('hangup')));
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
    await this.webRtc[Symbol.asyncDispose]();
    await this.#opus[Symbol.asyncDispose]();
    await this.#rtp[Symbol.asyncDispose]();
  }
}

/** Collects the events of a transport until it ends. */
export function collectEvents(transport: MediaTransport): { events: TransportEvent[]; ended: Promise<void> } {
  const events: TransportEvent[] = [];
  const read = async (): Promise<void> => {
    for await (const event of transport.events) events.push(event);
  };
  return { events, ended: read() };
}

export const STARTED: ServerMessage = {
  type: 'call_started',
  callId: '01890a5d-ac96-774b-bcce-b302099a8057',
};
