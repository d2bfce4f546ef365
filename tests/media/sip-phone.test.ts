import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { levelDbfs } from '@calls/audio/pcm';
import { delay, systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { findFreePorts } from '@calls/local-stack/free-port';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import type { Dialog, IncomingInvite } from '@calls/sip/calls';
import type { SipEndpoint } from '@calls/sip/endpoint-options';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';
import { RtpPorts } from '@calls/transports/rtp-thread/rtp-ports';
import { OpusThread } from '@calls/transports/opus/opus-thread';
import type { SipEncryption } from '@calls/api-contract/call-spec';
import { RtpThread } from '@calls/transports/rtp-thread/rtp-thread';
import { isRefusal } from '@calls/transports/sip/remote-media';
import { SipMedia, type SipMediaSnapshot } from '@calls/transports/sip/sip-media';
import type { SipMediaSample } from '@calls/transports/sip/sip-media-meter';
import { eventually } from '../support/eventually.ts';
import { Linphone } from '../support/sip/linphone.ts';
import { MediaProxy } from '../support/sip/media-proxy.ts';
import { PhoneCall } from '../support/sip/phone-call.ts';
import { describeWithPhone, PHONE_RATE_HZ, SoftPhone } from '../support/sip/soft-phone.ts';

const HOST = '127.0.0.1';
/** Sample rate of the recording that linphone makes of an Opus call. */
const LINPHONE_RATE_HZ = 48_000;
/** Time limit for RTCP reports, which phones send every few seconds. */
const REPORTS_MS = 120_000;
const clock = systemClock;
/** A pause of the machine is one look. */
const POLL_INTERVAL_MS = 60;
const SAME_LOOKS = 6;
/** Minimum audible part of tones of at least 1.6 s. On a busy machine a phone's audio may have gaps. */
const MOST_S = 0.55;

let onInvite: (invite: IncomingInvite) => void = (invite) => invite.reject(480, 'Not Now');

const opus = await OpusThread.start({ log: silentLogger, clock });
const engine = await RtpThread.start({ log: silentLogger, clock });
const first = await findFreePorts(20);
const ports = new RtpPorts({ host: HOST, range: { first, last: first + 19 }, engine });
const endpoint = await openEndpoint();
afterAll(async () => {
  await endpoint[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  await opus[Symbol.asyncDispose]();
});

function openEndpoint(): Promise<SipEndpoint> {
  return openSipEndpoint({
    host: HOST,
    port: 0,
    address: HOST,
    names: createNameResolver(),
    clock,
    log: silentLogger,
    onInvite: (invite) => onInvite(invite),
    onMessage: () => undefined,
  });
}

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  samples.length = 0;
  for (const part of opened.splice(0).toReversed()) await part[Symbol.asyncDispose]();
});

async function openPhone(...args: Parameters<typeof SoftPhone.open>): Promise<SoftPhone> {
  const phone = await SoftPhone.open(...args);
  opened.push(phone);
  return phone;
}

/** Statistics of the calls of a test. */
const samples: SipMediaSample[] = [];

interface Successor {
  engine: RtpThread;
  earlier: SipMediaSnapshot;
}

async function openMedia(
  encryption: SipEncryption = 'off',
  successor: Successor | null = null,
): Promise<SipMedia> {
  const meter = { sample: (sample: SipMediaSample): void => void samples.push(sample) };
  const first = successor ? await findFreePorts(4) : 0;
  const range = { first, last: first + 3 };
  const taken = successor ? new RtpPorts({ host: HOST, range, engine: successor.engine }) : ports;
  const earlier = successor?.earlier ?? null;
  return SipMedia.open({ ports: taken, address: HOST, meter, clock, encryption, opus, earlier });
}

function held(media: SipMedia, answer: { dialog: Dialog; sdp: string | null }): PhoneCall {
  const call = new PhoneCall(media, answer);
  opened.push(call.transport);
  return call;
}

/** The number of malformed and unauthenticated packets in the calls of a test. */
function dropped(): number {
  return samples.reduce((sum, { malformed, unauthenticated }) => sum + malformed + unauthenticated, 0);
}

function tone(hz: number, seconds: number, rateHz = PHONE_RATE_HZ): Int16Array {
  return Int16Array.from({ length: seconds * rateHz }, (_, i) =>
    Math.round(8000 * Math.sin((2 * Math.PI * hz * i) / rateHz)),
  );
}

/** The number of seconds that are as loud as `tone`. */
function loudSeconds(samples: Int16Array, rateHz = PHONE_RATE_HZ): number {
  const window = rateHz / 50;
  let loud = 0;
  for (let at = 0; at < samples.length; at += window) {
    if (levelDbfs(samples.subarray(at, at + window)) > -20) loud += 1;
  }
  return loud / 50;
}

/** Waits until the peer's hold has taken effect: its description says so, and no more audio comes. Resolves with the loud seconds. */
async function loudOnHold(call: PhoneCall, rateHz = PHONE_RATE_HZ): Promise<number> {
  await eventually(() => expect(call.dialog.remoteSdp).toMatch(/^a=(?:sendonly|inactive)/mu));
  let [seconds, unchanged] = [-1, 0];
  while (unchanged < SAME_LOOKS) {
    await delay(clock, POLL_INTERVAL_MS);
    const now = loudSeconds(call.received(), rateHz);
    unchanged = now === seconds ? unchanged + 1 : 0;
    seconds = now;
  }
  return seconds;
}

async function callPhone(phone: SoftPhone, encryption?: SipEncryption): Promise<PhoneCall> {
  const media = await openMedia(encryption);
  const call = endpoint.invite({
    to: phone.uri,
    from: `sip:agent@${HOST}`,
    credentials: null,
    sdp: media.offer(),
    ringLimitMs: 10_000,
  });
  const answer = await call.answered;
  if (answer.kind === 'failed') throw new Error(`it failed: ${answer.cause} ${answer.status}`);
  expect(media.takeAnswer(answer.sdp)).toBeNull();
  return held(media, answer);
}

async function phoneCalls(
  phone: Pick<SoftPhone, 'dial'>,
  encryption?: SipEncryption,
  received = (sdp: string): string => sdp,
): Promise<PhoneCall> {
  const { promise: called, resolve } = Promise.withResolvers<PhoneCall>();
  onInvite = (invite) => {
    void (async () => {
      const media = await openMedia(encryption);
      invite.ring();
      const answer = media.answer(received(invite.sdp ?? ''));
      if (isRefusal(answer)) throw new Error(answer.reason);
      resolve(held(media, { dialog: await invite.accept(answer), sdp: invite.sdp }));
    })();
  };
  await phone.dial(`sip:agent@${HOST}:${endpoint.port}`);
  return called;
}

describeWithPhone('SIP with baresip', () => {
  it.each(['PCMU', 'PCMA'] as const)(
    'calls the phone, exchanges %s audio and DTMF, and hangs up',
    async (codec) => {
      const phone = await openPhone({ user: 'ada', answersAtOnce: true, codecs: [codec] });
      const call = await callPhone(phone);
      await phone.until('CALL_RTPESTAB');
      await Promise.all([call.say(tone(440, 2)), phone.speak(tone(700, 1.6))]);
      await eventually(() => expect(loudSeconds(call.received())).toBeGreaterThan(MOST_S));
      expect(call.transport.sendDigits('42#')).toBe(true);
      await eventually(() => expect(phone.pressedKeys).toBe('42#'));
      await phone.press('1#');
      await eventually(() => expect(call.digits()).toBe('1#'));
      expect(loudSeconds(call.received())).toBeLessThan(1.8);
      await eventually(async () => expect(loudSeconds(await phone.played())).toBeGreaterThan(MOST_S));
      expect(loudSeconds(await phone.played())).toBeLessThan(2.2);
      await call.transport.close('agent_hangup');
      await phone.until('CALL_CLOSED');
      await eventually(() => expect(ports.taken).toBe(0));
    },
  );

  it.each([
    ['G722', 16_000, 16_000],
    ['opus', 16_000, 24_000],
  ] as const)('exchanges wideband audio with %s', async (codec, inputRateHz, outputRateHz) => {
    const phone = await openPhone({ user: 'ada', answersAtOnce: true, codecs: [codec, 'PCMU'] });
    const call = await callPhone(phone);
    expect(call.transport.inputFormat.sampleRateHz).toBe(inputRateHz);
    expect(call.transport.outputFormat.sampleRateHz).toBe(outputRateHz);
    await phone.until('CALL_RTPESTAB');
    // Frequencies above the range of 8 kHz codecs. The agent speaks until enough was played: a busy phone loses audio.
    const beganMs = clock.nowMs();
    void call.say(tone(6000, 60, outputRateHz));
    await phone.speak(tone(5000, 1.6, phone.rateHz));
    await eventually(() => expect(loudSeconds(call.received(), inputRateHz)).toBeGreaterThan(MOST_S));
    expect(loudSeconds(call.received(), inputRateHz)).toBeLessThan(1.8);
    await eventually(async () =>
      expect(loudSeconds(await phone.played(), phone.rateHz)).toBeGreaterThan(MOST_S),
    );
    const playedS = loudSeconds(await phone.played(), phone.rateHz);
    expect(playedS).toBeLessThan((clock.nowMs() - beganMs) / 1000 + 0.2);
    await phone.press('5');
    await eventually(() => expect(call.digits()).toBe('5'));
    expect(dropped()).toBe(0);
    await call.transport.close('agent_hangup');
  });

  it('accepts a call from a phone that prefers Opus', async () => {
    const phone = await openPhone({ user: 'ada', codecs: ['opus', 'G722', 'PCMA'] });
    const call = await phoneCalls(phone);
    expect(call.transport.outputFormat.sampleRateHz).toBe(24_000);
    await phone.until('CALL_RTPESTAB');
    await Promise.all([call.say(tone(6000, 1, 24_000)), phone.speak(tone(5000, 60, phone.rateHz))]);
    await eventually(() => expect(loudSeconds(call.received(), 16_000)).toBeGreaterThan(0.2));
    await eventually(async () =>
      expect(loudSeconds(await phone.played(), phone.rateHz)).toBeGreaterThan(MOST_S),
    );
    await phone.hangUp();
    await call.over;
  });

  it.each([
    ['required', 'srtp-mand', 'RTP/SAVP'],
    ['optional', 'srtp', 'RTP/AVP'],
  ] as const)('encrypts audio with SRTP %s, and %s on the phone', async (encryption, phones, profile) => {
    const phone = await openPhone({ user: 'ada', answersAtOnce: true, encryption: phones });
    const call = await callPhone(phone, encryption);
    expect(call.sdp).toMatch(new RegExp(`${profile} 0 .*a=crypto:`, 'su'));
    await phone.until('CALL_RTPESTAB');
    void call.say(tone(440, 60));
    await phone.speak(tone(700, 60));
    await eventually(() => expect(loudSeconds(call.received())).toBeGreaterThan(MOST_S));
    await eventually(async () => expect(loudSeconds(await phone.played())).toBeGreaterThan(MOST_S));
    await phone.press('1');
    await eventually(() => expect(call.digits()).toBe('1'));
    expect(dropped()).toBe(0);
    await call.transport.close('agent_hangup');
  });

  it('encrypts a call from a phone that requires SRTP, before and after hold and resume', async () => {
    const phone = await openPhone({ user: 'ada', encryption: 'srtp-mand' });
    const call = await phoneCalls(phone);
    expect(call.sdp).toMatch(/RTP\/SAVP 0 .*a=crypto:/su);
    await phone.until('CALL_RTPESTAB');
    await Promise.all([call.say(tone(440, 1)), phone.speak(tone(700, 60))]);
    await eventually(async () => expect(loudSeconds(await phone.played())).toBeGreaterThan(MOST_S));
    await eventually(() => expect(loudSeconds(call.received())).toBeGreaterThan(0.2));
    await phone.hold();
    await delay(clock, 300);
    const onHold = loudSeconds(call.received());
    await phone.resume();
    await eventually(() => expect(loudSeconds(call.received())).toBeGreaterThan(onHold + 0.2));
    await phone.hangUp();
    await call.over;
    // Packets encrypted before the hold may arrive after the change of keys.
    expect(dropped()).toBeLessThan(10);
  });

  it.each(['calls the service', 'is called'])(
    'exchanges DTLS-SRTP audio with a phone that %s, before and after hold and resume',
    async (who) => {
      const answersAtOnce = who === 'is called';
      const phone = await openPhone({ user: 'ada', answersAtOnce, encryption: 'dtls_srtp' });
      const call = await (answersAtOnce ? callPhone(phone, 'dtls') : phoneCalls(phone));
      expect(call.sdp).toMatch(/^m=audio \d+ UDP\/TLS\/RTP\/SAVPF? 0 /mu);
      await phone.until('CALL_RTPESTAB');
      void call.say(tone(440, 60));
      await phone.speak(tone(700, 60));
      await eventually(() => expect(loudSeconds(call.received())).toBeGreaterThan(0.5));
      await eventually(async () => expect(loudSeconds(await phone.played())).toBeGreaterThan(MOST_S));
      await phone.press('1');
      await eventually(() => expect(call.digits()).toBe('1'));
      await phone.hold();
      const onHold = await loudOnHold(call);
      await phone.resume();
      await eventually(() => expect(loudSeconds(call.received())).toBeGreaterThan(onHold + 0.2));
      expect(dropped()).toBe(0);
      await phone.hangUp();
      await call.over;
    },
  );

  it('ends the call when the certificate of the phone does not match the signalled fingerprint', async () => {
    const phone = await openPhone({ user: 'ada', encryption: 'dtls_srtp' });
    const forged = `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => '00').join(':')}`;
    const call = await phoneCalls(phone, 'off', (sdp) => sdp.replaceAll(/a=fingerprint:.*/gu, forged));
    await call.over;
    expect(call.received()).toHaveLength(0);
    await phone.until('CALL_CLOSED');
  });

  it('exchanges RTCP reports on the next port with a phone that does not multiplex RTCP', async () => {
    const phone = await openPhone({ user: 'ada', answersAtOnce: true });
    const call = await callPhone(phone);
    expect(call.sdp).not.toContain('a=rtcp-mux');
    await phone.until('CALL_RTPESTAB');
    await call.say(tone(440, 1));
    await eventually(
      () => expect(samples.some(({ peer }) => typeof peer?.roundTripMs === 'number')).toBe(true),
      REPORTS_MS,
    );
    await call.transport.close('agent_hangup');
  });

  it.each([
    ['not encrypted', 'off', 'RTP/AVP', 'actpass'],
    ['encrypted by the relay', 'required', 'RTP/SAVP', 'actpass'],
    ['encrypted by the relay as DTLS client', 'dtls', 'UDP/TLS/RTP/SAVP', 'actpass'],
    ['encrypted by the relay as DTLS server', 'dtls', 'UDP/TLS/RTP/SAVP', 'passive'],
  ] as const)('accepts a call through a media relay, %s', async (_, encryption, profile, setup) => {
    const target = `sip:${HOST}:${endpoint.port}`;
    const proxy = await MediaProxy.open({ target, profile, setup });
    opened.push(proxy);
    const phone = await openPhone({ user: 'ada', proxy: `${HOST}:${proxy.port}` });
    const call = await phoneCalls(phone, encryption);
    expect(call.sdp).toMatch(new RegExp(`${profile} 0`, 'u'));
    const [, port] = /m=audio (\d+)/u.exec(call.sdp ?? '') ?? [];
    expect(Number(port)).toBeGreaterThanOrEqual(proxy.rtpPorts.first);
    expect(Number(port)).toBeLessThanOrEqual(proxy.rtpPorts.last);
    await phone.until('CALL_RTPESTAB');
    await Promise.all([call.say(tone(440, 1)), phone.speak(tone(700, 60))]);
    await eventually(async () => expect(loudSeconds(await phone.played())).toBeGreaterThan(MOST_S));
    await eventually(() => expect(loudSeconds(call.received())).toBeGreaterThan(0.2));
    await phone.press('5');
    await eventually(() => expect(call.digits()).toBe('5'));
    expect(dropped()).toBe(0);
    if (encryption === 'off') await phone.hangUp();
    else await call.transport.close('agent_hangup');
    await phone.until('CALL_CLOSED');
    await call.over;
  });

  it('continues a DTLS-SRTP call through a media relay with a new certificate, as after a failover', async () => {
    const target = `sip:${HOST}:${endpoint.port}`;
    const proxy = await MediaProxy.open({ target, profile: 'UDP/TLS/RTP/SAVP', setup: 'actpass' });
    opened.push(proxy);
    const phone = await openPhone({ user: 'ada', proxy: `${HOST}:${proxy.port}` });
    const call = await phoneCalls(phone);
    await phone.speak(tone(700, 60));
    await eventually(() => expect(loudSeconds(call.received())).toBeGreaterThan(0.2));
    await using other = await RtpThread.start({ log: silentLogger, clock });
    const media = await openMedia('off', { engine: other, earlier: call.media.snapshot() });
    await using second = await openEndpoint();
    const dialog = second.resume(call.dialog.snapshot(), null);
    call.transport.ended('released');
    const answer = await dialog.move(media.offer(), 60_000);
    expect(media.takeAnswer(answer ?? '')).toBeNull();
    const successor = held(media, { dialog, sdp: answer });
    await eventually(() => expect(loudSeconds(successor.received())).toBeGreaterThan(0.2));
    const before = loudSeconds(await phone.played());
    void successor.say(tone(440, 60));
    await eventually(async () => expect(loudSeconds(await phone.played())).toBeGreaterThan(before + 0.3));
    await phone.hangUp();
    await successor.over;
  });

  it('receives status 486 when the phone is busy', async () => {
    const phone = await openPhone({ user: 'ada' });
    await using media = await openMedia();
    const call = endpoint.invite({
      to: phone.uri,
      from: `sip:agent@${HOST}`,
      credentials: null,
      sdp: media.offer(),
      ringLimitMs: 10_000,
    });
    await phone.until('CALL_INCOMING');
    await phone.hangUp();
    expect(await call.answered).toMatchObject({ kind: 'failed', cause: 'refused', status: 486 });
  });

  it('accepts a call, which the phone holds, resumes and ends', async () => {
    const phone = await openPhone({ user: 'ada' });
    const call = await phoneCalls(phone);
    await phone.speak(tone(700, 60));
    await eventually(() => expect(loudSeconds(call.received())).toBeGreaterThan(0.2));
    await phone.hold();
    const onHold = await loudOnHold(call);
    await call.say(tone(440, 0.5));
    expect(loudSeconds(call.received())).toBe(onHold);
    expect(loudSeconds(await phone.played())).toBe(0);
    await phone.resume();
    await eventually(() => expect(loudSeconds(call.received())).toBeGreaterThan(onHold + 0.2));
    await phone.hangUp();
    await call.over;
    expect(call.events.at(-1)).toMatchObject({ type: 'closed', reason: 'hangup' });
    await eventually(() => expect(ports.taken).toBe(0));
  });
});

describe('SIP with linphone', () => {
  it('accepts a wideband call, exchanges DTMF keys, and supports hold and resume', async () => {
    const phone = await Linphone.open();
    opened.push(phone);
    const call = await phoneCalls(phone);
    const { sampleRateHz } = call.transport.outputFormat;
    expect(sampleRateHz).toBe(24_000);
    await phone.until('connected');
    await phone.speakAndRecord(tone(700, 60), PHONE_RATE_HZ);
    void call.say(tone(440, 60, sampleRateHz));
    await eventually(() => expect(loudSeconds(call.received(), 16_000)).toBeGreaterThan(0.5));
    await eventually(async () =>
      expect(loudSeconds(await phone.played(), LINPHONE_RATE_HZ)).toBeGreaterThan(0.5),
    );
    phone.press('5');
    await eventually(() => expect(call.digits()).toBe('5'));
    expect(call.transport.sendDigits('7')).toBe(true);
    await phone.until('Receiving tone 7');

    phone.hold();
    await phone.until('paused');
    const onHold = await loudOnHold(call, 16_000);
    phone.resume();
    await eventually(() => expect(loudSeconds(call.received(), 16_000)).toBeGreaterThan(onHold + 0.2));
    phone.hangUp();
    await call.over;
    expect(call.events.at(-1)).toMatchObject({ type: 'closed', reason: 'hangup' });
  });
});
