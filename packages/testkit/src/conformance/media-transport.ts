import { describe, expect, it } from '@jest/globals';
import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { MediaTransport, TransportEvent } from '@calls/conversation/ports/media-transport';
import { EXACT_SOUND, type ConformanceSound } from './sound.ts';

/** The remote end of a transport. */
export interface MediaClient {
  /** Sends samples at the transport's input rate. */
  speak(samples: Int16Array): void;
  say(message: ClientMessage): void;
  hangUp(): void;
  /** Resolves when everything sent so far has probably arrived or been dropped: there may be no marker of the end. */
  settled(): Promise<void>;
  /** All samples received so far, in order. */
  playedSamples(): readonly number[];
  messages(): readonly ServerMessage[];
  /** How often the transport requested to drop unplayed audio. */
  clears(): number;
}

export interface MediaTransportConformance {
  /** A transport with a connected client that receives all data messages. Called once per test. */
  connect: () => Promise<{ transport: MediaTransport; client: MediaClient }>;
  /** False if the medium carries no data messages. */
  carriesMessages?: boolean;
  /**
   * False if unplayed audio is buffered on the server's side, so that the client is not notified when it is
   * cleared.
   */
  notifiesClear?: boolean;
  /** Default: samples arrive unchanged. */
  sound?: ConformanceSound;
}

/** On a busy machine. */
const ARRIVAL_LIMIT_MS = 60_000;
const LEVELS = [1000, -2000, 3000, -4000, 5000];
const STARTED: ServerMessage = { type: 'call_started', callId: '01890a5d-ac96-774b-bcce-b302099a8057' };

/** Contract of every MediaTransport. */
export function describeMediaTransport(name: string, options: MediaTransportConformance): void {
  const { sound = EXACT_SOUND, carriesMessages = true, notifiesClear = true } = options;
  const { frame, expectSame } = sound;
  const test = (title: string, run: (call: Connected) => Promise<void>): void =>
    it(title, async () => {
      const call = new Connected(await options.connect());
      try {
        await run(call);
      } finally {
        await call.transport.close('hangup');
      }
    });

  describe(`${name} as MediaTransport`, () => {
    test('receives the client’s audio in order', async ({ transport, client, events }) => {
      const frames = LEVELS.map((level) => frame(transport.inputFormat.sampleRateHz, level));
      for (const samples of frames) client.speak(samples);
      const spoken = (): number[] =>
        events.flatMap((event) => (event.type === 'audio' ? [...event.samples] : []));
      await settledWith(client, () => spoken().length >= frames.reduce((sum, { length }) => sum + length, 0));
      expectSame(spoken(), frames);
    });

    if (carriesMessages) {
      test('exchanges data messages with the client', async ({ transport, client, events }) => {
        client.say({ type: 'ping', timestamp: 7 });
        transport.send(STARTED);
        await settledWith(client, () => events.length > 0 && client.messages().length > 0);
        expect(events.filter((event) => event.type === 'data')).toEqual([
          { type: 'data', message: { type: 'ping', timestamp: 7 } },
        ]);
        expect(client.messages()).toContainEqual(STARTED);
      });
    }

    test('sends audio in order and does not retain the arrays that it receives', async ({
      transport,
      client,
    }) => {
      const rateHz = transport.outputFormat.sampleRateHz;
      const reused = frame(rateHz, 0);
      for (const level of LEVELS) {
        reused.set(frame(rateHz, level));
        const before = client.playedSamples().length;
        transport.write(reused);
        await settledWith(client, () => client.playedSamples().length > before);
      }
      reused.fill(9);
      await client.settled();
      expectSame(
        client.playedSamples(),
        LEVELS.map((level) => frame(rateHz, level)),
      );
    });

    test('clears unplayed audio and continues with later audio', async ({ transport, client }) => {
      const rateHz = transport.outputFormat.sampleRateHz;
      // A thread that sends frames in real time may send the first of them before they are cleared.
      for (let written = 0; written < 10; written += 1) transport.write(frame(rateHz, 1000));
      transport.clear();
      await settledWith(client, () => !notifiesClear || client.clears() > 0);
      if (notifiesClear) expect(client.clears()).toBe(1);
      const before = client.playedSamples().length;
      transport.write(frame(rateHz, 2000));
      await settledWith(client, () => client.playedSamples().length > before);
      expectSame(client.playedSamples().slice(before), [frame(rateHz, 2000)]);
    });

    test('reports the client’s hang-up once, as its last event', async ({
      transport,
      client,
      events,
      ended,
    }) => {
      client.speak(frame(transport.inputFormat.sampleRateHz, 1000));
      client.hangUp();
      await ended;
      // On a busy machine, the client hangs up late: time without audio is reported.
      const types = (): string[] => events.map(({ type }) => type).filter((type) => type !== 'input_missing');
      expect(types()).toEqual(['audio', 'closed']);
      expect(events.at(-1)).toMatchObject({ type: 'closed', reason: 'hangup' });
      await transport.close('hangup');
      expect(types()).toHaveLength(2);
    });

    test('emits one closed event when it is closed repeatedly', async ({ transport, events, ended }) => {
      await Promise.all([transport.close('timeout'), transport.close('hangup')]);
      await transport.close('system_error');
      await transport[Symbol.asyncDispose]();
      await ended;
      expect(events.map(({ type }) => type)).toEqual(['closed']);
    });

    test('ignores audio, messages and clears after it was closed', async ({
      transport,
      client,
      events,
      ended,
    }) => {
      await transport.close('hangup');
      await ended;
      const before = { played: client.playedSamples().length, messages: client.messages().length };
      transport.write(frame(transport.outputFormat.sampleRateHz, 1000));
      transport.send(STARTED);
      transport.clear();
      await client.settled();
      expect({ played: client.playedSamples().length, messages: client.messages().length }).toEqual(before);
      expect(client.clears()).toBe(0);
      expect(events).toHaveLength(1);
    });
  });
}

/** Settles until the condition holds. Returns after a time limit too: the test then shows what is missing. */
async function settledWith(client: MediaClient, condition: () => boolean): Promise<void> {
  const limitMs = performance.now() + ARRIVAL_LIMIT_MS;
  do {
    await client.settled();
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  } while (performance.now() < limitMs);
}

/** A transport, its client, and all its events. */
class Connected {
  readonly transport: MediaTransport;
  readonly client: MediaClient;
  readonly events: TransportEvent[] = [];
  readonly ended: Promise<void>;

  constructor({ transport, client }: { transport: MediaTransport; client: MediaClient }) {
    this.transport = transport;
    this.client = client;
    transport.events.takeAudio((samples) => this.events.push({ type: 'audio', samples }));
    this.ended = this.#read();
  }

  async #read(): Promise<void> {
    for await (const event of this.transport.events) this.events.push(event);
  }
}
