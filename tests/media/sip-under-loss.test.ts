import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { levelDbfs } from '@calls/audio/pcm';
import { systemClock as clock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { findFreePorts } from '@calls/local-stack/free-port';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import type { SipEndpoint } from '@calls/sip/endpoint-options';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';
import { resample } from '@calls/testkit/speech/shaping';
import { speak } from '@calls/testkit/speech/speak';
import { wordErrorRate } from '@calls/foundation/word-error-rate';
import { RtpPorts } from '@calls/transports/rtp-thread/rtp-ports';
import { RtpThread } from '@calls/transports/rtp-thread/rtp-thread';
import { SipMedia } from '@calls/transports/sip/sip-media';
import { openSpeechToText } from '../bench/packet-loss/measure.ts';
import { eventually } from '../support/eventually.ts';
import { startLossyRelay, type LossyRelay } from '../support/lossy-relay.ts';
import { PhoneCall } from '../support/sip/phone-call.ts';
import { describeWithPhone, PHONE_RATE_HZ, SoftPhone } from '../support/sip/soft-phone.ts';

const HOST = '127.0.0.1';
/** The media address that peers receive. The relay forwards their audio. */
const RELAY = '127.0.0.2';
const STT_RATE_HZ = 16_000;
const QUESTION = 'my name is john smith and i live in london';
const ANSWER = 'there are three children playing in the garden behind the house';
/** Mean of both sides. Measured: 0 without loss, up to 0.2 with loss. */
const MAX_WORD_ERROR_RATE = 0.4;
const QUIET_S = 1.5;
const QUIET_DBFS = -50;
const LINK = { lossPercent: 10, jitterMs: 60, delayMs: 20, keepsOrder: false };

let engine: RtpThread;
let endpoint: SipEndpoint;
let relay: LossyRelay;
let media: SipMedia;
const opened = new AsyncDisposableStack();
const stt = opened.use(openSpeechToText());

function speech(text: string): Promise<Int16Array> {
  return speak({ engine: 'flite', voice: 'rms', text, sampleRateHz: PHONE_RATE_HZ });
}

/** There was speech, and then silence for longer than between two words. */
function expectSaid(samples: Int16Array): void {
  const quietSamples = QUIET_S * PHONE_RATE_HZ;
  expect(levelDbfs(samples)).toBeGreaterThan(QUIET_DBFS);
  expect(levelDbfs(samples.subarray(0, -quietSamples))).toBeGreaterThan(QUIET_DBFS);
  expect(levelDbfs(samples.subarray(-quietSamples))).toBeLessThan(QUIET_DBFS);
}

async function errors(text: string, samples: Int16Array): Promise<number> {
  return wordErrorRate(text, await stt.recognise(resample(samples, PHONE_RATE_HZ, STT_RATE_HZ)));
}

describeWithPhone('a SIP call with 10 % packet loss and 60 ms jitter', () => {
  beforeAll(async () => {
    engine = opened.use(await RtpThread.start({ log: silentLogger, clock }));
    const first = await findFreePorts(4);
    const port = first + (first % 2);
    const ports = new RtpPorts({ host: HOST, range: { first: port, last: port + 1 }, engine });
    media = await SipMedia.open({ ports, address: RELAY, meter: { sample: () => undefined }, clock });
    relay = opened.use(
      await startLossyRelay({ listenAddress: RELAY, serverAddress: HOST, port, conditions: LINK, seed: 1 }),
    );
    endpoint = opened.use(
      await openSipEndpoint({
        ...{ host: HOST, port: 0, address: HOST, names: createNameResolver(), clock, log: silentLogger },
        onInvite: (invite) => invite.reject(480, 'Not Now'),
        onMessage: () => undefined,
      }),
    );
  });
  afterAll(() => opened.disposeAsync());

  it('carries intelligible speech in both directions', async () => {
    const [question, answer] = await Promise.all([speech(QUESTION), speech(ANSWER)]);
    await using phone = await SoftPhone.open({ user: 'ada', answersAtOnce: true });
    const { answered } = endpoint.invite({
      ...{ to: phone.uri, from: `sip:agent@${HOST}`, credentials: null, sdp: media.offer() },
      ringLimitMs: 10_000,
    });
    const outcome = await answered;
    if (outcome.kind === 'failed') throw new Error(`it failed: ${outcome.cause} ${outcome.status}`);
    expect(media.takeAnswer(outcome.sdp)).toBeNull();
    const call = new PhoneCall(media, outcome);
    await phone.until('CALL_RTPESTAB');
    await Promise.all([phone.speak(question), call.say(answer)]);
    await eventually(() => expectSaid(call.received()));
    await eventually(async () => expectSaid(await phone.played()));
    const [questionErrors, answerErrors] = await Promise.all([
      errors(QUESTION, call.received()),
      phone.played().then((played) => errors(ANSWER, played)),
    ]);
    await call.transport.close('agent_hangup');
    for (const { lost, arrived } of [relay.toServer, relay.toClients])
      expect(lost / (lost + arrived)).toBeGreaterThan(0.05);
    expect((questionErrors + answerErrors) / 2).toBeLessThanOrEqual(MAX_WORD_ERROR_RATE);
  });
});
