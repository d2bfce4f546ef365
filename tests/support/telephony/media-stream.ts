import { toError } from '@calls/foundation/errors';
import { WebSocket } from 'ws';
import { Loudspeaker } from './loudspeaker.ts';
import type { PhoneFacts, ProviderStandIn, StreamFacts, StreamOrder } from './provider.ts';
import { decodePayload, encodePayload } from './stream-audio.ts';
import type { Voice } from './voice.ts';

const TICK_MS = 20;
const HANDSHAKE_LIMIT_MS = 15_000;
/** How a stream ended. `remote`: the service closed or lost the connection. */
export interface StreamEnd {
  by: 'remote' | 'person' | 'cut';
  /** Null if there was no connection. */
  code: number | null;
  reason: string;
}

export interface StreamOptions {
  provider: Pick<ProviderStandIn, 'newStreamId' | 'stream'>;
  call: PhoneFacts;
  order: StreamOrder;
  voice: Voice;
  onError: (error: string) => void;
  /** Called when audible audio is played. */
  onSound?: (() => void) | undefined;
}

/** The provider side of a media stream, in real time in both directions. */
export class MediaStream {
  readonly ended: Promise<StreamEnd>;
  readonly loudspeaker: Loudspeaker;
  /** Times of clear messages, with the length of dropped audio. */
  readonly clears: { atMs: number; droppedMs: number }[] = [];
  /** DTMF digits that the service sent to the phone. */
  digits = '';
  readonly #options: StreamOptions;
  readonly #socket: WebSocket;
  readonly #end = Promise.withResolvers<StreamEnd>();
  readonly #facts: StreamFacts;
  #timer: NodeJS.Timeout | undefined;
  /** Null until the socket is open. */
  #begunMs: number | null = null;
  #ticks = 0;
  #chunks = 0;
  #messages = 0;
  #by: StreamEnd['by'] = 'remote';

  constructor(options: StreamOptions) {
    const { provider, call, order } = options;
    this.#options = options;
    this.loudspeaker = new Loudspeaker(order.played.sampleRateHz);
    this.ended = this.#end.promise;
    const nowMs = (): number => this.nowMs;
    this.#facts = {
      streamId: provider.newStreamId(),
      call,
      order,
      get nowMs() {
        return nowMs();
      },
      sequence: () => (this.#messages += 1),
    };
    // The providers do not document whether they respond to pings. This stand-in does not.
    this.#socket = new WebSocket(order.url, {
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_LIMIT_MS,
      autoPong: false,
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('ping', () => options.onError('the stream was pinged'));
    this.#socket.once('open', () => this.#begin());
    this.#socket.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    this.#socket.once('close', (code, reason) => this.#onClose(code, reason.toString()));
  }

  /** Start in the time of `performance.now()`; null until the socket is open. */
  get begunMs(): number | null {
    return this.#begunMs;
  }

  /** Milliseconds since the start. */
  get nowMs(): number {
    return this.#begunMs === null ? 0 : performance.now() - this.#begunMs;
  }

  press(digit: string): void {
    this.#send(this.#options.provider.stream.digit(this.#facts, digit));
  }

  /** Ends the stream because the person hangs up. */
  hangUp(): void {
    this.#by = 'person';
    const stop = this.#options.provider.stream.stop(this.#facts);
    if (stop) this.#send(stop);
    this.#socket.close(1000);
  }

  /** Breaks the connection. */
  cut(): void {
    this.#by = 'cut';
    this.#socket.terminate();
  }

  #begin(): void {
    this.#begunMs = performance.now();
    for (const message of this.#options.provider.stream.opening(this.#facts)) this.#send(message);
    this.#tick();
  }

  /** Scheduled by deadlines, so that late ticks do not accumulate delay. */
  #tick(): void {
    this.#ticks += 1;
    const { chunkMs } = this.#options.provider.stream;
    if ((this.#ticks * TICK_MS) % chunkMs === 0) this.#say(chunkMs);
    const { lastSoundMs } = this.loudspeaker;
    for (const mark of this.loudspeaker.playUntil(this.nowMs)) {
      this.#send(this.#options.provider.stream.played(this.#facts, mark));
    }
    if (this.loudspeaker.lastSoundMs !== lastSoundMs) this.#options.onSound?.();
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, this.#ticks * TICK_MS - this.nowMs));
  }

  #say(durationMs: number): void {
    const { provider, order, voice } = this.#options;
    this.#chunks += 1;
    const payload = encodePayload(order.said, voice.next(durationMs, order.said.sampleRateHz));
    this.#send(provider.stream.media(this.#facts, this.#chunks, payload));
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const { provider, order, onError } = this.#options;
    try {
      if (isBinary) throw new Error('unexpected binary message');
      const message = provider.stream.read(JSON.parse(data.toString('utf8')), this.#facts);
      switch (message.kind) {
        case 'audio':
          this.loudspeaker.queue(decodePayload(order.played, message.payload));
          return;
        case 'mark':
          this.loudspeaker.mark(message.name);
          return;
        case 'clear':
          this.#clear();
          return;
        case 'digits':
          this.digits += message.digits;
          return;
      }
    } catch (thrown) {
      onError(toError(thrown).message);
    }
  }

  #clear(): void {
    this.clears.push({ atMs: this.nowMs, droppedMs: this.loudspeaker.queuedMs });
    const { stream } = this.#options.provider;
    for (const message of stream.cleared(this.#facts, this.loudspeaker.clear())) this.#send(message);
  }

  #send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #onClose(code: number, reason: string): void {
    clearTimeout(this.#timer);
    this.#end.resolve({ by: this.#by, code: this.#begunMs === null ? null : code, reason });
  }
}
