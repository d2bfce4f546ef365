import { afterAll, describe, expect, it } from '@jest/globals';
import { wordErrorRate } from '@calls/foundation/word-error-rate';
import { LossyCall } from '../bench/packet-loss/lossy-call.ts';
import { openSpeechToText } from '../bench/packet-loss/measure.ts';
import { sentences } from '../bench/packet-loss/speech.ts';
import { WebRtcServer } from '../support/webrtc/web-rtc-server.ts';

const TIME_LIMIT_MS = 300_000;

const stt = openSpeechToText();
const server = await WebRtcServer.start();
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await stt[Symbol.asyncDispose]();
});

describe('a WebRTC call over a lossy network', () => {
  it(
    'has nearly the same word error rate with 3 % and 10 % packet loss and 50 ms jitter',
    async () => {
      const said = await sentences(6);
      const text = said.map((sentence) => sentence.text).join(' ');
      const networks = [
        { address: '127.0.0.2', lossPercent: 0, jitterMs: 0 },
        { address: '127.0.0.3', lossPercent: 3, jitterMs: 50 },
        { address: '127.0.0.4', lossPercent: 10, jitterMs: 50 },
      ];
      await using calls = new AsyncDisposableStack();
      const joined: LossyCall[] = [];
      for (const { address, lossPercent, jitterMs } of networks) {
        const link = { lossPercent, jitterMs, delayMs: 15, keepsOrder: false };
        joined.push(calls.use(await LossyCall.join(server, address, link)));
      }
      const wrong = await Promise.all(
        joined.map(async (call) => {
          const transcripts: string[] = [];
          for (const { samples } of said) transcripts.push(await stt.recognise(await call.say(samples)));
          return wordErrorRate(text, transcripts.join(' '));
        }),
      );
      const lost = joined.map(
        ({ relay: { toServer } }) => toServer.lost / (toServer.lost + toServer.arrived),
      );
      expect(lost[0]).toBe(0);
      expect(lost[1]).toBeGreaterThan(0.01);
      expect(lost[2]).toBeGreaterThan(0.06);
      const [clean = 1, ...bad] = wrong;
      expect(clean).toBeLessThan(0.3);
      // A single packet more or less can change a word, and a changed word its neighbours: up to 7 of these 53 words.
      for (const rate of bad) expect(rate - clean).toBeLessThan(0.15);
    },
    TIME_LIMIT_MS,
  );
});
