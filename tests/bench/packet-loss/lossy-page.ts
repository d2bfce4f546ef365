import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '@calls/local-stack/free-port';
import { withSilence } from '@calls/testkit/speech/shaping';
import type { Page } from 'playwright-core';
import { openBrowser } from '../../support/browser/open-browser.ts';
import { startSdkSite } from '../../support/browser/sdk-site.ts';
import type { LinkConditions } from '../../support/lossy-link.ts';
import { startLossyRelay, type LossyRelay } from '../../support/lossy-relay.ts';
import { WebRtcServer } from '../../support/webrtc/web-rtc-server.ts';
import { sayAtPace } from './pace.ts';
import { SENTENCE_RATE_HZ } from './speech.ts';

const RELAY_ADDRESS = '127.0.0.2';
const RECEIVED_RATE_HZ = 16_000;
const AROUND = { beforeMs: 200, afterMs: 300, sampleRateHz: SENTENCE_RATE_HZ };
/** The network and browser buffers are empty after this time. */
const LAST_OF_IT_MS = 600;

/** Browser code that records a track at 16 kHz. */
const RECORDER = `
  globalThis.record = async (track) => {
    const context = new AudioContext({ sampleRate: ${RECEIVED_RATE_HZ} });
    const code = 'registerProcessor("recorder", class extends AudioWorkletProcessor { process([[channel]]) { if (channel) this.port.postMessage(channel.slice()); return true; } })';
    await context.audioWorklet.addModule(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
    const recorder = new AudioWorkletNode(context, 'recorder');
    let recorded = [];
    recorder.port.onmessage = ({ data }) => recorded.push(data);
    context.createMediaStreamSource(new MediaStream([track])).connect(recorder);
    globalThis.takeRecording = () => {
      const samples = Int16Array.from(recorded.splice(0).flatMap((part) => [...part]), (sample) => Math.max(-1, Math.min(1, sample)) * 32767);
      return new Uint8Array(samples.buffer).toBase64();
    };
    return () => context.close();
  };`;

/** Playback statistics of the agent's packets. */
export interface Playout {
  packetsLost: number;
  /** Concealed samples in percent of all played samples. */
  concealedPercent: number;
  /** Mean time that a sample waits in the jitter buffer. */
  bufferMs: number;
}

/** A browser behind a lossy network: the browser SDK in Chromium with the service's WebRTC server, without calls. */
export class LossyPage implements AsyncDisposable {
  readonly relay: LossyRelay;
  readonly #page: Page;
  readonly #server: WebRtcServer;
  readonly #parts: AsyncDisposableStack;

  private constructor(parts: AsyncDisposableStack, page: Page, server: WebRtcServer, relay: LossyRelay) {
    this.#parts = parts;
    this.#page = page;
    this.#server = server;
    this.relay = relay;
  }

  static async open(conditions: LinkConditions): Promise<LossyPage> {
    await using parts = new AsyncDisposableStack();
    const port = await findFreePorts(1);
    const [server, relay, browser, site] = await Promise.all([
      WebRtcServer.start({ port, announced: RELAY_ADDRESS }),
      startLossyRelay({
        listenAddress: RELAY_ADDRESS,
        serverAddress: '127.0.0.1',
        port,
        conditions,
        seed: 23,
      }),
      openBrowser(new Int16Array(4800)),
      startSdkSite(),
    ]);
    for (const part of [server, relay, browser, site]) parts.use(part);
    const { page } = browser;
    await page.addInitScript(RECORDER);
    await page.goto(site.url);
    return new LossyPage(parts.move(), page, server, relay);
  }

  /** Resolves to the join time and starts recording the agent. */
  async join(): Promise<number> {
    return this.#page.evaluate<number>(`(async () => {
      const { CallSession } = await import('/sdk/calls-client.js');
      globalThis.session = new CallSession();
      await session.joinCall(${JSON.stringify(this.#server.url)});
      globalThis.stopRecording = await record(session.agentTrack);
      return session.joinTimeMs;
    })()`);
  }

  async leave(): Promise<void> {
    await this.#page.evaluate(`stopRecording().then(() => session.leaveCall())`);
  }

  /** The agent speaks in real time; resolves to the audio that the page received, at 16 kHz. */
  async hear(samples: Int16Array): Promise<Int16Array> {
    const { transport } = this.#server;
    await this.#page.evaluate('takeRecording()');
    await sayAtPace(withSilence(samples, AROUND), SENTENCE_RATE_HZ, (frame) => transport.write(frame));
    await sleep(LAST_OF_IT_MS);
    const bytes = Buffer.from(await this.#page.evaluate<string>('takeRecording()'), 'base64');
    return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  }

  /** Statistics since the join. */
  async playout(): Promise<Playout> {
    return this.#page.evaluate<Playout>(`session.getStats().then(({ receive }) => {
      const { packetsLost, concealedSamples, silentConcealedSamples, totalSamplesReceived, jitterBufferDelay, jitterBufferEmittedCount } =
        [...receive.values()].find(({ type }) => type === 'inbound-rtp');
      return {
        packetsLost,
        concealedPercent: (100 * (concealedSamples - silentConcealedSamples)) / totalSamplesReceived,
        bufferMs: (1000 * jitterBufferDelay) / jitterBufferEmittedCount,
      };
    })`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}
