import { LAWS, RATE_HZ, FRAME_MS, type G711 } from './g711.ts';
import { cryptoLine, type CryptoAttribute } from './media-encryption.ts';
import type { Direction, RemoteMedia } from './remote-media.ts';
import type { RtpAddress } from './rtp-address.ts';

/** Payload type in local offers. */
export const TELEPHONE_EVENT = 101;

interface Voice {
  payloadType: number;
  codec: G711;
}

/** Codecs of a local offer, best first. */
export const OFFERED_VOICES: readonly Voice[] = (['PCMU', 'PCMA'] as const).map((codec) => ({
  codec,
  payloadType: LAWS[codec].payloadType,
}));

interface AudioSection {
  protocol: string;
  voices: readonly Voice[];
  telephoneEvent: number | null;
  direction: Direction;
  hasRtcpMux: boolean;
  cryptos: readonly CryptoAttribute[];
}

/** The local descriptions of one session. Each changed description increments the version (RFC 3264, 8). */
export class LocalSdp {
  readonly #own: RtpAddress;
  readonly #sessionId: number;
  #version = 0;
  #said = '';

  constructor(own: RtpAddress, sessionId: number) {
    this.#own = own;
    this.#sessionId = sessionId;
  }

  /** `cryptos`: offered encryption. `isSecureProfile`: a peer that does not encrypt must reject the offer. */
  offer(direction: Direction, cryptos: readonly CryptoAttribute[] = [], isSecureProfile = false): string {
    return this.#describe(
      this.#audio({
        protocol: isSecureProfile ? 'RTP/SAVP' : 'RTP/AVP',
        voices: OFFERED_VOICES,
        telephoneEvent: TELEPHONE_EVENT,
        direction,
        hasRtcpMux: true,
        cryptos,
      }),
    );
  }

  /**
   * Answers `remote`: accepts its audio with its preferred supported codec and rejects all other sections. `crypto`: the
   * accepted encryption.
   */
  answer(remote: RemoteMedia, direction: Direction, crypto: CryptoAttribute | null = null): string {
    const { sections, audioIndex, voices, telephoneEvent, hasRtcpMux } = remote;
    return this.#describe(
      sections.flatMap(({ type, protocol, payloads }, i) =>
        i === audioIndex
          ? this.#audio({
              protocol,
              voices: voices.slice(0, 1),
              telephoneEvent,
              direction,
              hasRtcpMux,
              cryptos: crypto ? [crypto] : [],
            })
          : [`m=${type} 0 ${protocol} ${payloads}`],
      ),
    );
  }

  #audio({ protocol, voices, telephoneEvent, direction, hasRtcpMux, cryptos }: AudioSection): string[] {
    const types = [...voices.map(({ payloadType }) => payloadType), telephoneEvent].filter(
      (type) => type !== null,
    );
    return [
      `m=audio ${this.#own.port} ${protocol} ${types.join(' ')}`,
      ...voices.map(({ payloadType, codec }) => `a=rtpmap:${payloadType} ${codec}/${RATE_HZ}`),
      ...(telephoneEvent === null
        ? []
        : [`a=rtpmap:${telephoneEvent} telephone-event/${RATE_HZ}`, `a=fmtp:${telephoneEvent} 0-15`]),
      `a=ptime:${FRAME_MS}`,
      ...cryptos.map(cryptoLine),
      ...(hasRtcpMux ? ['a=rtcp-mux'] : []),
      `a=${direction}`,
    ];
  }

  #describe(sections: readonly string[]): string {
    const { address } = this.#own;
    const said = ['s=-', `c=IN IP4 ${address}`, 't=0 0', ...sections, ''].join('\r\n');
    if (said !== this.#said) this.#version += 1;
    this.#said = said;
    return `v=0\r\no=- ${this.#sessionId} ${this.#version} IN IP4 ${address}\r\n${said}`;
  }
}
