import { once } from 'node:events';
import type { MediaTransport, TransportEvent } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import type { TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';
import type { WebSocket } from 'ws';
import { InlineOpus } from '../../opus/inline-opus.ts';
import { openTelephonyTransport } from '../open-telephony-transport.ts';
import { PROVIDER_FRAMES, type ProviderFrames } from './provider-frames.ts';

export interface ProviderEndOptions {
  kind: TelephonyDialect;
  client: WebSocket;
  socket: WebSocket;
  clock: Clock;
}

/** The provider's end of a connection, with a stream that was opened at the other end. */
export class ProviderEnd {
  readonly frames: ProviderFrames;
  readonly received: { event: string }[] = [];
  readonly events: TransportEvent[] = [];
  readonly opened: Promise<MediaTransport | null>;
  /** Why the stream cannot be used. */
  readonly refusals: string[] = [];
  readonly #client: WebSocket;

  constructor({ kind, client, socket, clock }: ProviderEndOptions) {
    this.frames = PROVIDER_FRAMES[kind];
    this.#client = client;
    client.on('message', (data: Buffer) => {
      this.received.push(JSON.parse(data.toString()) as { event: string });
    });
    const spec = { kind, dials: false, dtmf: null };
    const onUnusable = (detail: string): void => void this.refusals.push(detail);
    this.opened = openTelephonyTransport({ socket, spec, opus: new InlineOpus(), clock, onUnusable });
  }

  async begin(start: object = this.frames.start): Promise<MediaTransport> {
    this.send(start);
    const transport = await this.opened;
    if (!transport) throw new Error('the stream did not start');
    await this.settled();
    return transport;
  }

  get closed(): Promise<[number, Buffer]> {
    return once(this.#client, 'close') as Promise<[number, Buffer]>;
  }

  send(frame: object | string): void {
    this.#client.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  sendBytes(bytes: Buffer): void {
    this.#client.send(bytes);
  }

  close(code?: number): void {
    this.#client.close(code);
  }

  cut(): void {
    this.#client.terminate();
  }

  /** Resolves when everything sent by either side has arrived or is lost. */
  async settled(): Promise<void> {
    if (this.#client.readyState !== this.#client.OPEN) return;
    const stop = new AbortController();
    const { signal } = stop;
    this.#client.ping();
    await Promise.race([
      once(this.#client, 'pong', { signal }),
      once(this.#client, 'close', { signal }),
    ]).finally(() => stop.abort());
  }

  /** Reads all events into `events` from now on. */
  async keepEvents({ events }: MediaTransport): Promise<void> {
    for await (const event of events) this.events.push(event);
  }

  eventsOf<T extends TransportEvent['type']>(type: T): (TransportEvent & { type: T })[] {
    return this.events.filter((event): event is TransportEvent & { type: T } => event.type === type);
  }

  receivedOf(event: string): object[] {
    return this.received.filter((frame) => frame.event === event);
  }
}
