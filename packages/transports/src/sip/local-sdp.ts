import { familyOf } from '@calls/foundation/address-network';
import { dtlsLines, type LocalDtlsAttributes } from '../dtls/dtls-description.ts';
import { cryptoLine, type CryptoAttribute } from '../srtp/media-encryption.ts';
import type { Direction, RemoteMedia } from './remote-media.ts';
import type { RtpAddress } from '../rtp/rtp-address.ts';
import { encodingOf, FRAME_MS, VOICE_CODECS, VOICE_FORMATS, type VoiceCodec } from '../rtp/voice-codecs.ts';

/** Clock rates of telephone events in local offers by payload type. */
export const OWN_TELEPHONE_EVENTS: ReadonlyMap<number, number> = new Map([
  [101, 8000],
  [102, 48_000],
]);

export interface Voice {
  payloadType: number;
  codec: VoiceCodec;
}

/** The descriptions that another worker sent before in the same session. */
export interface EarlierDescriptions {
  version: number;
  /** The negotiated codec; null before an answer. */
  voice: Voice | null;
}

/** Exceeds the number of versions that the other worker can have used since. */
const VERSION_STEP = 100;

/** The attributes of encrypted audio; none if it is not encrypted. */
export interface DescribedEncryption {
  cryptos?: readonly CryptoAttribute[];
  dtls?: LocalDtlsAttributes;
}

interface AudioSection {
  protocol: string;
  voices: readonly Voice[];
  telephoneEvents: ReadonlyMap<number, number>;
  direction: Direction;
  hasRtcpMux: boolean;
  encryption: DescribedEncryption;
}

/** The local descriptions of one session. Each changed description increments the version (RFC 3264, 8). */
export class LocalSdp {
  #own: RtpAddress;
  readonly #sessionId: number;
  readonly #used: Voice | null;
  #offered: readonly Voice[];
  #version: number;
  #lastDescribed = '';

  /** `codecs`: offered codecs, best first. With `earlier`, its codec comes before them. */
  constructor(
    own: RtpAddress,
    sessionId: number,
    codecs: readonly VoiceCodec[] = VOICE_CODECS,
    earlier: EarlierDescriptions | null = null,
  ) {
    this.#own = own;
    this.#used = earlier?.voice ?? null;
    this.#offered = this.#voicesOf(codecs);
    this.#sessionId = sessionId;
    this.#version = earlier ? earlier.version + VERSION_STEP : 0;
  }

  /** Version of the latest description. */
  get version(): number {
    return this.#version;
  }

  /** Sets the address in later descriptions. */
  useAddress(address: string): void {
    this.#own = { ...this.#own, address };
  }

  /** Sets the codecs in later offers, best first. */
  useCodecs(codecs: readonly VoiceCodec[]): void {
    this.#offered = this.#voicesOf(codecs);
  }

  /** `isSecureProfile`: a peer that does not encrypt must reject the offer. */
  offer(direction: Direction, encryption: DescribedEncryption = {}, isSecureProfile = false): string {
    const secureProfile = encryption.dtls ? 'UDP/TLS/RTP/SAVP' : 'RTP/SAVP';
    const rates = new Set(this.#offered.map(({ codec }) => VOICE_FORMATS[codec].clockRateHz));
    return this.#describe(
      this.#audio({
        protocol: isSecureProfile ? secureProfile : 'RTP/AVP',
        voices: this.#offered,
        telephoneEvents: new Map([...OWN_TELEPHONE_EVENTS].filter(([, rateHz]) => rates.has(rateHz))),
        direction,
        hasRtcpMux: true,
        encryption,
      }),
    );
  }

  /**
   * Answers `remote`: accepts its audio with its preferred supported codec and rejects all other sections.
   * `encryption`: the accepted one.
   */
  answer(remote: RemoteMedia, direction: Direction, encryption: DescribedEncryption = {}): string {
    const { sections, audioIndex, voices, telephoneEvents, hasRtcpMux } = remote;
    const codec = voices[0]?.codec ?? 'PCMU';
    const events = [...telephoneEvents].filter(([, rateHz]) => rateHz === VOICE_FORMATS[codec].clockRateHz);
    return this.#describe(
      sections.flatMap(({ type, protocol, payloads }, i) =>
        i === audioIndex
          ? this.#audio({
              protocol,
              voices: voices.slice(0, 1),
              telephoneEvents: new Map(events.length > 0 ? events.slice(0, 1) : telephoneEvents),
              direction,
              hasRtcpMux,
              encryption,
            })
          : [`m=${type} 0 ${protocol} ${payloads}`],
      ),
    );
  }

  /** The codec in use keeps its payload type and comes first. */
  #voicesOf(codecs: readonly VoiceCodec[]): Voice[] {
    const used = this.#used && codecs.includes(this.#used.codec) ? [this.#used] : [];
    const others = codecs
      .map((codec) => ({ codec, payloadType: VOICE_FORMATS[codec].payloadType }))
      .filter(({ codec, payloadType }) =>
        used.every((each) => each.codec !== codec && each.payloadType !== payloadType),
      );
    return [...used, ...others];
  }

  #audio({ protocol, voices, telephoneEvents, direction, hasRtcpMux, encryption }: AudioSection): string[] {
    const types = [...voices.map(({ payloadType }) => payloadType), ...telephoneEvents.keys()];
    return [
      `m=audio ${this.#own.port} ${protocol} ${types.join(' ')}`,
      ...voices.flatMap(({ payloadType, codec }) => {
        const { parameters } = VOICE_FORMATS[codec];
        const map = `a=rtpmap:${payloadType} ${encodingOf(codec)}`;
        return parameters === null ? [map] : [map, `a=fmtp:${payloadType} ${parameters}`];
      }),
      ...[...telephoneEvents].flatMap(([payloadType, rateHz]) => [
        `a=rtpmap:${payloadType} telephone-event/${rateHz}`,
        `a=fmtp:${payloadType} 0-15`,
      ]),
      `a=ptime:${FRAME_MS}`,
      ...(encryption.cryptos ?? []).map(cryptoLine),
      ...(encryption.dtls ? dtlsLines(encryption.dtls) : []),
      ...(hasRtcpMux ? ['a=rtcp-mux'] : []),
      `a=${direction}`,
    ];
  }

  #describe(sections: readonly string[]): string {
    const address = `IN IP${familyOf(this.#own.address)} ${this.#own.address}`;
    const description = ['s=-', `c=${address}`, 't=0 0', ...sections, ''].join('\r\n');
    if (description !== this.#lastDescribed) this.#version += 1;
    this.#lastDescribed = description;
    return `v=0\r\no=- ${this.#sessionId} ${this.#version} ${address}\r\n${description}`;
  }
}
