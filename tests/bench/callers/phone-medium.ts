import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createAccounts } from '../../support/telephony/accounts.ts';
import type {
  PhoneFacts,
  StreamFacts,
  StreamFormat,
  StreamProtocol,
} from '../../support/telephony/provider.ts';
import { twilio } from '../../support/telephony/twilio.ts';
import { AgentActivity } from './agent-activity.ts';
import { joinUrlOf, type CallerEvents, type CallerLine, type CallerMedium } from './caller-medium.ts';
import { createMuLawVoice, MU_LAW_RATE_HZ } from './mu-law-voice.ts';

const FORMAT: StreamFormat = { encoding: 'pcmu', sampleRateHz: MU_LAW_RATE_HZ };
const BYTES_PER_MS = MU_LAW_RATE_HZ / 1000;

/** Media streams of Twilio, with audio that is encoded in advance. */
export function phoneMedium(): CallerMedium {
  const provider = twilio(createAccounts());
  return {
    kind: 'telephony',
    sampleRateHz: MU_LAW_RATE_HZ,
    aheadMs: 200,
    createVoice: createMuLawVoice,
    async connect(createCall, events) {
      const url = joinUrlOf(await createCall({ telephony1: {} }));
      const call: PhoneFacts = {
        callId: provider.newCallId(),
        from: '+4930555001',
        to: '+4930555000',
        isOutgoing: false,
        status: 'in-progress',
      };
      let messages = 0;
      const startedMs = performance.now();
      const stream = {
        streamId: provider.newStreamId(),
        call,
        order: { url, said: FORMAT, played: FORMAT },
        get nowMs() {
          return performance.now() - startedMs;
        },
        sequence: () => (messages += 1),
      } satisfies StreamFacts;
      const line = new PhoneLine(provider.stream, stream, events);
      await line.opened;
      return line;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Plays received audio in real time, and reports the marks in it. */
class PhoneLine implements CallerLine {
  readonly packets = { received: 0, lost: 0 };
  readonly opened: Promise<void>;
  readonly #protocol: StreamProtocol;
  readonly #stream: StreamFacts;
  readonly #events: CallerEvents;
  readonly #socket: WebSocket;
  readonly #activity: AgentActivity;
  #chunks = 0;
  #playedUntilMs = 0;
  #marks: { name: string; atMs: number }[] = [];

  constructor(protocol: StreamProtocol, stream: StreamFacts, events: CallerEvents) {
    this.#protocol = protocol;
    this.#stream = stream;
    this.#events = events;
    this.#activity = new AgentActivity(events);
    this.#socket = new WebSocket(stream.order.url, { perMessageDeflate: false });
    this.#socket.on('message', (data: Buffer) => this.#receive(data));
    this.#socket.on('close', (code, reason) => {
      this.#activity[Symbol.dispose]();
      events.onLost(`closed with ${code} ${reason.toString()}`);
    });
    this.opened = new Promise((resolve, reject) => {
      this.#socket.once('error', reject);
      this.#socket.once('open', () => {
        events.onOpen();
        for (const message of protocol.opening(stream)) this.#write(message);
        resolve();
      });
    });
  }

  send(frame: Uint8Array): void {
    const { buffer, byteOffset, byteLength } = frame;
    this.#chunks += 1;
    const payload = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    this.#write(this.#protocol.media(this.#stream, this.#chunks, payload));
    const nowMs = performance.now();
    for (let next = this.#marks[0]; next && next.atMs <= nowMs; next = this.#marks[0]) {
      this.#marks.shift();
      this.#write(this.#protocol.played(this.#stream, next.name));
    }
  }

  async hangUp(): Promise<void> {
    const closed = once(this.#socket, 'close');
    const stop = this.#protocol.stop(this.#stream);
    if (stop) this.#write(stop);
    this.#socket.close(1000);
    await closed;
  }

  #receive(data: Buffer): void {
    const message = this.#protocol.read(JSON.parse(data.toString('utf8')), this.#stream);
    const nowMs = performance.now();
    switch (message.kind) {
      case 'audio': {
        const durationMs = message.payload.length / BYTES_PER_MS;
        this.#playedUntilMs = Math.max(this.#playedUntilMs, nowMs) + durationMs;
        // The service sends audio only while the agent speaks.
        this.#activity.audible();
        this.#events.onAudio(durationMs);
        break;
      }
      case 'mark':
        this.#marks.push({ name: message.name, atMs: this.#playedUntilMs });
        break;
      case 'clear': {
        this.#playedUntilMs = nowMs;
        const marks = this.#marks.splice(0).map(({ name }) => name);
        for (const cleared of this.#protocol.cleared(this.#stream, marks)) this.#write(cleared);
        this.#events.onCleared();
        break;
      }
      case 'digits':
        break;
    }
  }

  #write(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
