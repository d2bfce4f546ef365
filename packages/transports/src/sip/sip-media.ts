import type { SipEncryption } from '@calls/api-contract/call-spec';
import { randomInt } from 'node:crypto';
import { familyOf } from '@calls/foundation/address-network';
import type { Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import type { OpusCodecs } from '../opus/opus-codecs.ts';
import { negotiateMedia, type NegotiatedMedia } from './negotiated-media.ts';
import { LocalSdp, type DescribedEncryption, type EarlierDescriptions } from './local-sdp.ts';
import { LocalDtls } from '../dtls/dtls-description.ts';
import { LocalMediaKeys, type NegotiatedEncryption, type KeyExchange } from '../srtp/media-encryption.ts';
import { isRefusal, readRemoteMedia, type RemoteMedia, type SdpRefusal } from './remote-media.ts';
import type { RtpAddress } from '../rtp/rtp-address.ts';
import type { RtpChannel } from '../rtp-thread/rtp-channel.ts';
import type { RtpPorts } from '../rtp-thread/rtp-ports.ts';
import type { SipMediaMeter } from './sip-media-meter.ts';
import { VOICE_CODECS, VOICE_FORMATS, type VoiceCodec } from '../rtp/voice-codecs.ts';
import { silenceOf } from '../voice/voice-encoder.ts';
import { DEFAULT_MEDIA_TIMEOUT_MS, SipTransport, type SipTransportOptions } from './transport.ts';

export interface SipMediaOptions {
  ports: RtpPorts;
  /** The IP address that is advertised to the peer. */
  address: string;
  /** The same for peers of the other address family, if the ports have both. */
  otherAddress?: string | undefined;
  meter: SipMediaMeter;
  clock: Clock;
  /** See `RtpDeps`. */
  mediaTimeoutMs?: number;
  /** Default: `off`. */
  encryption?: SipEncryption;
  /** Default: null, Opus is neither offered nor accepted. */
  opus?: OpusCodecs | null;
  /** Default: null, a new call. */
  earlier?: SipMediaSnapshot | null;
}

/** What another worker needs to negotiate the media of the same call again. Plain data. */
export interface SipMediaSnapshot extends EarlierDescriptions {
  sessionId: number;
  isEncrypted: boolean;
  /** Whether the audio has the profile of encrypted audio. */
  isSecureProfile: boolean;
  /** Key exchange of encrypted audio. Default: `sdes`. */
  keyExchange?: KeyExchange;
  /** Where the peer signalled that it receives audio. Absent on hold. */
  target?: RtpAddress;
}

const CRYPTO_NOT_OFFERED: SdpRefusal = {
  kind: 'refused',
  status: 488,
  reason: 'The SDP accepts an a=crypto attribute that was not offered',
};

const NO_DTLS_ROLE: SdpRefusal = {
  kind: 'refused',
  status: 488,
  reason: 'The SDP accepts DTLS with another a=setup attribute than active or passive',
};

/** DTLS-SRTP is required but not available. The log of the process says why. */
class NoDtlsError extends AppError {
  constructor() {
    super('no_dtls', 'DTLS is not available', { retryable: false });
  }
}

/**
 * The media of one SIP call: its RTP port, which is opened before the INVITE or its answer, and the negotiated
 * parameters. Can be passed to a dialog's `onReinvite`.
 */
export class SipMedia implements AsyncDisposable {
  readonly #options: SipMediaOptions;
  readonly #rtp: RtpChannel;
  readonly #sessionId: number;
  readonly #local: LocalSdp;
  readonly #keys = new LocalMediaKeys();
  /** Null if DTLS is not available. */
  readonly #dtls: LocalDtls | null;
  /** Key exchanges of the latest offer. */
  #offered: readonly KeyExchange[] = [];
  /** Whether the audio in use has the profile of encrypted audio. */
  #isSecureProfile: boolean;
  /** Null: the default codecs, in the peer's order. */
  #preferred: readonly VoiceCodec[] | null = null;
  #negotiated: NegotiatedMedia | null = null;
  /** Where the peer last signalled that it receives audio. */
  #target: RtpAddress | null = null;
  #transport: SipTransport | null = null;

  private constructor(options: SipMediaOptions, rtp: RtpChannel) {
    this.#options = options;
    this.#rtp = rtp;
    const { address, earlier = null } = options;
    this.#dtls = rtp.fingerprint && new LocalDtls(rtp.fingerprint);
    this.#isSecureProfile = earlier?.isSecureProfile ?? false;
    this.#sessionId = earlier?.sessionId ?? randomInt(2 ** 47);
    this.#local = new LocalSdp({ address, port: rtp.port }, this.#sessionId, this.#codecs, earlier);
  }

  /** Throws a NoRtpPortError if all ports are in use, and a NoDtlsError. */
  static async open(options: SipMediaOptions): Promise<SipMedia> {
    const rtp = await options.ports.open();
    if (options.encryption !== 'dtls' || rtp.fingerprint) return new SipMedia(options, rtp);
    rtp.close();
    throw new NoDtlsError();
  }

  /**
   * Restricts later offers and answers to these codecs, best first. Answers use the first one that the peer offers. If
   * none of them is available, the default codecs stay in use.
   */
  useCodecs(codecs: readonly VoiceCodec[]): void {
    const usable = codecs.filter((codec) => codec !== 'opus' || this.#options.opus);
    this.#preferred = usable.length > 0 ? usable : null;
    this.#local.useCodecs(this.#codecs);
  }

  /**
   * A local offer, for an INVITE or for the 200 to an INVITE without a description. `peerAddress`: the peer's address
   * in a new dialog, which determines the address family.
   */
  offer(peerAddress?: string): string {
    if (peerAddress !== undefined) {
      this.#useFamilyOf(peerAddress);
      this.#keys.renew();
    }
    const policy = this.#encryption;
    const used = this.#keyExchange;
    const offered = used ?? (policy === 'dtls' ? 'dtls' : policy === 'off' ? null : 'sdes');
    const encryption = offered ? this.#offerOf(offered) : {};
    this.#offered = offered ? [offered] : [];
    if (encryption.dtls) this.#rtp.apply({ type: 'dtlsOffered' });
    const isSecureProfile = used ? this.#isSecureProfile : policy === 'required' || policy === 'dtls';
    return this.#local.offer('sendrecv', encryption, isSecureProfile);
  }

  /** Applies the answer to `offer`. A rejected answer changes nothing. */
  takeAnswer(remoteSdp: string): SdpRefusal | null {
    const remote = this.#read(remoteSdp, this.#offered);
    if (isRefusal(remote)) return remote;
    const encryption = this.#negotiateEncryption(remote, true);
    if (!encryption && remote.dtls) return NO_DTLS_ROLE;
    const isPlain = remote.cryptos.length === 0 && !remote.isSecureProfile;
    if (!encryption && !isPlain) return CRYPTO_NOT_OFFERED;
    this.#take(remote, negotiateMedia(remote, true, encryption));
    return null;
  }

  /** Applies an offer and returns the answer. A rejected offer changes nothing. */
  answer(remoteSdp: string): string | SdpRefusal {
    const offered = this.#read(remoteSdp, this.#encryption === 'dtls' ? ['dtls'] : ['sdes', 'dtls']);
    if (isRefusal(offered)) return offered;
    const remote = this.#preferred ? preferring(offered, this.#preferred) : offered;
    const encryption = this.#negotiateEncryption(remote, false);
    const negotiated = negotiateMedia(remote, false, encryption);
    this.#take(remote, negotiated);
    return this.#local.answer(remote, negotiated.direction, this.#accepted(encryption));
  }

  /**
   * Answers an offer within a call (hold, another address), or makes one if `remoteSdp` is null. Null rejects the
   * offer.
   */
  reoffer(remoteSdp: string | null): string | null {
    if (remoteSdp === null) return this.offer();
    const answer = this.answer(remoteSdp);
    return isRefusal(answer) ? null : answer;
  }

  /**
   * Starts the audio. Call it once, after offer and answer were exchanged. The end of the transport releases all
   * resources.
   */
  transport(options: SipTransportOptions): SipTransport {
    if (!this.#negotiated || this.#transport)
      throw new Error('no media was negotiated, or the transport was opened before');
    const { meter, clock, opus = null, mediaTimeoutMs = DEFAULT_MEDIA_TIMEOUT_MS } = this.#options;
    const parts = { rtp: this.#rtp, opus, meter, clock, mediaTimeoutMs };
    this.#transport = new SipTransport(options, parts, this.#negotiated);
    return this.#transport;
  }

  /**
   * Sends silence until the transport is opened. Without an answer, it goes where the call's earlier endpoint sent,
   * unless the audio is encrypted: the peer does not have the new keys yet.
   */
  sendSilence(): void {
    const { earlier } = this.#options;
    const isKnown = this.#negotiated !== null;
    if (!isKnown && this.#keyExchange !== null) return;
    const target = isKnown ? this.#target : (earlier?.target ?? null);
    const voice = isKnown ? this.#negotiated?.sends : earlier?.voice;
    if (!target || !voice) return;
    this.#rtp.apply({ type: 'signalled', address: target });
    const { codec, payloadType: silenceType } = voice;
    const { clockRateHz } = VOICE_FORMATS[codec];
    this.#rtp.apply({ type: 'format', format: { clockRateHz, silence: silenceOf(codec), silenceType } });
  }

  snapshot(): SipMediaSnapshot {
    const [voice] = this.#negotiated?.receives.voices ?? [];
    const keyExchange = this.#keyExchange;
    return {
      sessionId: this.#sessionId,
      version: this.#local.version,
      voice: voice ? { payloadType: voice[0], codec: voice[1] } : null,
      isEncrypted: keyExchange !== null,
      isSecureProfile: this.#isSecureProfile,
      ...(keyExchange && { keyExchange }),
      ...(this.#negotiated?.sends && this.#target && { target: this.#target }),
    };
  }

  /** Releases the port if no transport was created; otherwise close the transport. Idempotent. */
  [Symbol.asyncDispose](): Promise<void> {
    if (!this.#transport) this.#rtp.close();
    return Promise.resolve();
  }

  #read(remoteSdp: string, exchanges: readonly KeyExchange[]): RemoteMedia | SdpRefusal {
    const keyExchanges = exchanges.filter((each) => each === 'sdes' || this.#dtls);
    const accepted = { encryption: this.#encryption, keyExchanges, codecs: this.#codecs };
    return readRemoteMedia(remoteSdp, this.#addresses, accepted);
  }

  #offerOf(exchange: KeyExchange): DescribedEncryption {
    return exchange === 'dtls' && this.#dtls ? { dtls: this.#dtls.offer() } : { cryptos: this.#keys.offer() };
  }

  #negotiateEncryption({ dtls, cryptos }: RemoteMedia, isAnswer: boolean): NegotiatedEncryption | null {
    if (dtls) return this.#dtls?.negotiate(dtls, isAnswer) ?? null;
    return this.#keys.negotiate(cryptos, isAnswer);
  }

  /** The attributes that accept an offer. */
  #accepted(encryption: NegotiatedEncryption | null): DescribedEncryption {
    if (!encryption) return {};
    if (encryption.type === 'dtls') return this.#dtls ? { dtls: this.#dtls.answer(encryption) } : {};
    return { cryptos: [{ tag: encryption.tag, keys: encryption.send }] };
  }

  /** Key exchange of the audio in use; null if it is not encrypted. */
  get #keyExchange(): KeyExchange | null {
    if (this.#negotiated) return this.#negotiated.encryption?.type ?? null;
    const { isEncrypted = false, keyExchange = 'sdes' } = this.#options.earlier ?? {};
    return isEncrypted ? keyExchange : null;
  }

  get #codecs(): readonly VoiceCodec[] {
    if (this.#preferred) return this.#preferred;
    return this.#options.opus ? VOICE_CODECS : VOICE_CODECS.filter((codec) => codec !== 'opus');
  }

  get #encryption(): SipEncryption {
    return this.#options.encryption ?? 'off';
  }

  get #addresses(): readonly string[] {
    const { address, otherAddress } = this.#options;
    return otherAddress === undefined ? [address] : [address, otherAddress];
  }

  #useFamilyOf(peerAddress: string): void {
    const own = this.#addresses.find((address) => familyOf(address) === familyOf(peerAddress));
    if (own !== undefined) this.#local.useAddress(own);
  }

  #take(remote: RemoteMedia, negotiated: NegotiatedMedia): void {
    const { encryption } = negotiated;
    this.#rtp.apply({ type: 'encryption', encryption });
    // Another port would need its own handshake (RFC 5764, 4.1).
    const address = encryption?.type === 'dtls' ? null : remote.rtcp;
    this.#rtp.apply({ type: 'rtcp', address, isMuxed: remote.hasRtcpMux });
    if (remote.target) {
      this.#useFamilyOf(remote.target.address);
      this.#rtp.apply({ type: 'signalled', address: remote.target });
      this.#target = remote.target;
    }
    this.#negotiated = negotiated;
    this.#isSecureProfile = remote.isSecureProfile;
    this.#transport?.apply(negotiated);
  }
}

/** Returns `remote` with its voices in the order of `codecs`. */
function preferring(remote: RemoteMedia, codecs: readonly VoiceCodec[]): RemoteMedia {
  const rank = ({ codec }: RemoteMedia['voices'][number]): number => codecs.indexOf(codec);
  return { ...remote, voices: remote.voices.toSorted((a, b) => rank(a) - rank(b)) };
}
