import { concatSamples } from '@calls/audio/pcm';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { findFreePorts } from '@calls/local-stack/free-port';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import type { Dialog, IncomingInvite, InviteOutcome, SipCredentials } from '@calls/sip/calls';
import type { SipEndpoint, SipTlsOptions } from '@calls/sip/endpoint-options';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';
import { createSharedDtls } from '@calls/transports/dtls/dtls-media';
import { InlineRtp } from '@calls/transports/rtp-thread/inline-rtp';
import { resample } from '@calls/testkit/speech/shaping';
import { RtpPorts } from '@calls/transports/rtp-thread/rtp-ports';
import { SipMedia } from '@calls/transports/sip/sip-media';

const HOST = '127.0.0.1';
/** Sample rate of the audio that the peer sends. */
const PLAYED_RATE_HZ = 8000;
const FRAME_MS = 20;
/** Length of received audio that is stored. */
const NEWEST_MS = 1000;
const NEWEST_RATE_HZ = 16_000;
/** Sample value above the level of echo and codec noise. */
const LOUD = 500;

interface CallOptions {
  from?: string;
  credentials?: SipCredentials;
  outboundProxy?: string;
  headers?: readonly (readonly [name: string, value: string])[];
}

/** A call of the peer. */
export interface PeerCall {
  dialog: Dialog;
  /** Resolves when audible audio has arrived. */
  audioReceived: Promise<true>;
  /** Number of audio events with audible audio so far. */
  readonly audible: number;
  /** The last second of received audio, at 16 kHz. */
  readonly newest: Int16Array;
  /** The longest time between two received packets so far. */
  readonly longestPauseMs: number;
  /** Resolves when the recording has been sent. `longestGapMs`: the longest time between two of its packets. */
  played: Promise<{ longestGapMs: number }>;
}

/** Number of ports. A call uses two. */
const RTP_PORTS = 100;

/** A SIP user agent that places and accepts calls, receives audio, and sends silence or a recording. */
export class SipPeer implements AsyncDisposable {
  /** All received SIP messages as text, in order. */
  readonly received: string[];
  /** All sent SIP messages as text, in order. */
  readonly sent: string[];
  /** Received INVITEs that `invited` has not returned yet. */
  readonly invites: IncomingInvite[];
  readonly host: string;
  readonly #endpoint: SipEndpoint;
  readonly #ports: RtpPorts;
  #onInvite: ((invite: IncomingInvite) => void) | null = null;

  private constructor(
    endpoint: SipEndpoint,
    { invites, received, sent, host }: Pick<SipPeer, 'invites' | 'received' | 'sent' | 'host'>,
    ports: RtpPorts,
  ) {
    this.#endpoint = endpoint;
    this.received = received;
    this.sent = sent;
    this.host = host;
    this.invites = invites;
    this.#ports = ports;
  }

  /** `host`: address of the peer. With `tls`, it also accepts TLS connections. */
  static async open({ host = HOST, tls }: { host?: string; tls?: SipTlsOptions } = {}): Promise<SipPeer> {
    const invites: IncomingInvite[] = [];
    const received: string[] = [];
    const sent: string[] = [];
    let peer = null as SipPeer | null;
    const endpoint = await openSipEndpoint({
      host,
      port: 0,
      address: host,
      ...(tls && { tls }),
      names: createNameResolver(),
      clock: systemClock,
      log: silentLogger,
      onInvite: (invite) => {
        if (peer !== null && peer.#onInvite) peer.#onInvite(invite);
        else invites.push(invite);
      },
      onMessage: ({ direction, text }) => (direction === 'sent' ? sent : received).push(text),
    });
    const first = await findFreePorts(RTP_PORTS);
    const ports = new RtpPorts({
      host,
      range: { first, last: first + RTP_PORTS - 1 },
      engine: new InlineRtp(systemClock, createSharedDtls(systemClock)),
    });
    peer = new SipPeer(endpoint, { invites, received, sent, host }, ports);
    return peer;
  }

  get port(): number {
    return this.#endpoint.port;
  }

  /** Null without TLS. */
  get tlsPort(): number | null {
    return this.#endpoint.tlsPort;
  }

  /** Resolves with the next incoming INVITE. */
  async invited(): Promise<IncomingInvite> {
    const waiting = this.invites.shift();
    if (waiting) return waiting;
    const { promise, resolve } = Promise.withResolvers<IncomingInvite>();
    this.#onInvite = (invite) => {
      this.#onInvite = null;
      resolve(invite);
    };
    return promise;
  }

  /** Accepts the call and sends this audio at 8 kHz, then silence. */
  async take(invite: IncomingInvite, plays: Int16Array = new Int16Array(0)): Promise<PeerCall> {
    const media = await this.#openMedia();
    const sdp = media.answer(invite.sdp ?? '');
    if (typeof sdp !== 'string') throw new Error(sdp.reason);
    return talking(await invite.accept(sdp), media, plays);
  }

  /** Calls a URI. Resolves with the call or the failure. */
  async call(
    to: string,
    options: CallOptions = {},
  ): Promise<PeerCall | (InviteOutcome & { kind: 'failed' })> {
    const media = await this.#openMedia();
    const { credentials = null, outboundProxy, headers = [] } = options;
    const from = options.from ?? `"Ann" <sip:+4930123456@${HOST}:${this.port}>`;
    const { answered } = this.#endpoint.invite({
      ...{ to, from, credentials, outboundProxy, headers, sdp: media.offer(), ringLimitMs: 20_000 },
    });
    const answer = await answered;
    if (answer.kind === 'failed') {
      await media[Symbol.asyncDispose]();
      return answer;
    }
    const refusal = media.takeAnswer(answer.sdp);
    if (refusal) throw new Error(refusal.reason);
    return talking(answer.dialog, media);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endpoint[Symbol.asyncDispose]();
  }

  #openMedia(): Promise<SipMedia> {
    const meter = { sample: () => undefined };
    return SipMedia.open({ ports: this.#ports, address: this.host, meter, clock: systemClock });
  }
}

function talking(dialog: Dialog, media: SipMedia, plays: Int16Array = new Int16Array(0)): PeerCall {
  dialog.onReinvite(media);
  const transport = media.transport({ hangUp: () => dialog.bye() });
  // The sample rate depends on the negotiated codec.
  const rateHz = transport.outputFormat.sampleRateHz;
  const sound = resample(plays, PLAYED_RATE_HZ, rateHz);
  const frameSamples = (rateHz * FRAME_MS) / 1000;
  let playedSamples = 0;
  const played = Promise.withResolvers<{ longestGapMs: number }>();
  let sentMs = systemClock.nowMs();
  let longestGapMs = 0;
  const timer = setInterval(() => {
    const nowMs = systemClock.nowMs();
    longestGapMs = Math.max(longestGapMs, nowMs - sentMs);
    sentMs = nowMs;
    const frame = new Int16Array(frameSamples);
    frame.set(sound.subarray(playedSamples, playedSamples + frameSamples));
    playedSamples += frameSamples;
    transport.write(frame);
    if (playedSamples >= sound.length) played.resolve({ longestGapMs });
  }, FRAME_MS);
  const audioReceived = Promise.withResolvers<true>();
  let audible = 0;
  let longestPauseMs = 0;
  let receivedMs = Infinity;
  const received: Int16Array[] = [];
  let receivedSamples = 0;
  const { sampleRateHz: receivedRateHz } = transport.inputFormat;
  const newestSamples = (receivedRateHz * NEWEST_MS) / 1000;
  void (async () => {
    for await (const event of transport.events) {
      if (event.type === 'audio') {
        received.push(event.samples);
        receivedSamples += event.samples.length;
        while (receivedSamples - (received[0]?.length ?? 0) >= newestSamples)
          receivedSamples -= received.shift()?.length ?? 0;
        const nowMs = systemClock.nowMs();
        longestPauseMs = Math.max(longestPauseMs, nowMs - receivedMs);
        receivedMs = nowMs;
      }
      if (event.type !== 'audio' || !event.samples.some((sample) => Math.abs(sample) > LOUD)) continue;
      audioReceived.resolve(true);
      audible += 1;
    }
  })();
  void dialog.ended.then(({ by }) => {
    clearInterval(timer);
    transport.ended(by);
  });
  return {
    dialog,
    audioReceived: audioReceived.promise,
    played: played.promise,
    get longestPauseMs() {
      return longestPauseMs;
    },
    get newest() {
      return resample(concatSamples(received), receivedRateHz, NEWEST_RATE_HZ);
    },
    get audible() {
      return audible;
    },
  };
}
