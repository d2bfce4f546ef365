import type { SipEncryption } from '@calls/api-contract/call-spec';
import { canonicalAddress } from '@calls/foundation/address-network';
import { parse, type SessionDescription } from 'sdp-transform';
import { asText, isPayloadType } from '../sdp-values.ts';
import { readDtls, type RemoteDtls } from '../dtls/dtls-description.ts';
import { readCryptoAttributes, type CryptoAttribute, type KeyExchange } from '../srtp/media-encryption.ts';
import { addressIssue, type RtpAddress } from '../rtp/rtp-address.ts';
import { staticVoiceCodec, VOICE_CODECS, voiceCodecOf, type VoiceCodec } from '../rtp/voice-codecs.ts';

/** The SIP response to an SDP that cannot be accepted. */
export interface SdpRefusal {
  kind: 'refused';
  status: number;
  reason: string;
}

type Section = SessionDescription['media'][number];

/** A media direction from the peer's point of view. */
export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** The relevant parts of a peer's SDP. */
export interface RemoteMedia {
  /** All media sections in order; those other than `audioIndex` are rejected. */
  sections: readonly { type: string; protocol: string; payloads: string }[];
  audioIndex: number;
  /** Where the peer receives audio; null if nowhere (hold). */
  target: RtpAddress | null;
  direction: Direction;
  /** Supported voice payload types, preferred first. */
  voices: readonly { payloadType: number; codec: VoiceCodec }[];
  /** Clock rates of telephone events by payload type. */
  telephoneEvents: ReadonlyMap<number, number>;
  hasRtcpMux: boolean;
  /** Where the peer receives RTCP; null if nowhere, or where it receives audio. */
  rtcp: RtpAddress | null;
  /** Whether the section's profile is that of encrypted audio. */
  isSecureProfile: boolean;
  /** Empty if the audio is not encrypted, or by DTLS. */
  cryptos: readonly CryptoAttribute[];
  /** Null if the audio is not encrypted, or with keys in SDP. */
  dtls: RemoteDtls | null;
}

const MAX_BYTES = 16 * 1024;
const MAX_LINES = 300;
const MAX_LINE_BYTES = 1024;
const MAX_SECTIONS = 8;
const MAX_PAYLOADS = 64;
const PLAIN_PROFILES = new Set(['RTP/AVP', 'RTP/AVPF']);
const SECURE_PROFILES = new Set(['RTP/SAVP', 'RTP/SAVPF']);
const DTLS_PROFILES = new Set(['UDP/TLS/RTP/SAVP', 'UDP/TLS/RTP/SAVPF']);
/** A token or a list of tokens, because the answer repeats it. */
const TOKENS = /^[\w./*+-]+(?: [\w./*+-]+)*$/u;
/** The number of ports in `m=audio 4000/1 RTP/AVP 0`, which the parser does not support. Only the first port is used. */
const PORT_COUNT = /^(?<port>m=\S+ \d+)\/\d+(?= )/gmu;
const UNSPECIFIED = new Set(['0.0.0.0', '::']);

export interface AcceptedMedia {
  /** Default: `off`. */
  encryption?: SipEncryption;
  /** Default: keys in SDP. */
  keyExchanges?: readonly KeyExchange[];
  /** Default: all. */
  codecs?: readonly VoiceCodec[];
}

/** `own`: the local addresses advertised to peers, one per family. */
export function readRemoteMedia(
  text: string,
  own: readonly string[],
  accepted: AcceptedMedia = {},
): RemoteMedia | SdpRefusal {
  if (!text.trimStart().startsWith('v=0')) return refusal('The body is not SDP');
  const lines = text.slice(0, MAX_BYTES + 1).split(/\r?\n|\r/u, MAX_LINES + 1);
  if (
    text.length > MAX_BYTES ||
    lines.length > MAX_LINES ||
    lines.some(({ length }) => length > MAX_LINE_BYTES)
  ) {
    return refusal('The SDP is too long');
  }
  try {
    return mediaIn(text, own, accepted);
  } catch {
    // The parser accepts nearly any text and skips what it cannot parse.
    return refusal('The SDP cannot be parsed');
  }
}

function refusal(reason: string): SdpRefusal {
  return { kind: 'refused', status: 488, reason };
}

function mediaIn(
  text: string,
  own: readonly string[],
  { encryption = 'off', keyExchanges = ['sdes'], codecs = VOICE_CODECS }: AcceptedMedia,
): RemoteMedia | SdpRefusal {
  const session = parse(text.replaceAll(PORT_COUNT, '$<port>'));
  const { media } = session;
  if (media.length > MAX_SECTIONS) return refusal('The SDP has too many sections');
  const sections = media.map((section) => {
    const { type, protocol } = section;
    return { type, protocol, payloads: payloadsOf(section) };
  });
  if (!sections.every((section) => Object.values(section).every((value) => TOKENS.test(value)))) {
    return refusal('The SDP has a section that cannot be parsed');
  }
  const dtlsOf = (index: number): RemoteDtls | null => readDtls(text, index);
  const chosen = chooseAudio(media, { encryption, keyExchanges, codecs, dtlsOf });
  if (isRefusal(chosen)) return chosen;
  const { audio, audioIndex, voices, cryptos, dtls } = chosen;
  const address = canonicalAddress(asText((audio.connection ?? session.connection)?.ip));
  const target = { address, port: audio.port };
  const isHeld = UNSPECIFIED.has(address);
  const issue = isHeld ? null : addressIssue(target, own);
  if (issue) return refusal(`The address for audio ${issue}`);
  return {
    sections,
    audioIndex,
    target: isHeld ? null : target,
    direction: audio.direction ?? session.direction ?? 'sendrecv',
    voices,
    telephoneEvents: telephoneEventsOf(audio),
    hasRtcpMux: audio.rtcpMux !== undefined,
    rtcp: isHeld || audio.rtcpMux !== undefined ? null : rtcpOf(audio, target, own),
    isSecureProfile: !PLAIN_PROFILES.has(audio.protocol),
    cryptos,
    dtls,
  };
}

/** The next port, or what `a=rtcp` says (RFC 3605). Null if nothing may be sent there. */
function rtcpOf({ rtcp }: Section, { address, port }: RtpAddress, own: readonly string[]): RtpAddress | null {
  const given = { address: canonicalAddress(asText(rtcp?.address)) || address, port: rtcp?.port ?? port + 1 };
  return addressIssue(given, own) === null ? given : null;
}

interface ChosenAudio extends Pick<RemoteMedia, 'audioIndex' | 'voices' | 'cryptos' | 'dtls'> {
  audio: Section;
}

interface AudioChoice {
  encryption: SipEncryption;
  keyExchanges: readonly KeyExchange[];
  codecs: readonly VoiceCodec[];
  /** Reads the DTLS attributes of the section with this index. */
  dtlsOf: (index: number) => RemoteDtls | null;
}

/** Of the sections with a supported codec, the first with encrypted audio, or else the first without, if that is allowed. */
function chooseAudio(media: readonly Section[], choice: AudioChoice): ChosenAudio | SdpRefusal {
  const { encryption, keyExchanges, codecs } = choice;
  const audioSections = media
    .map((audio, audioIndex) => ({
      ...{ audio, audioIndex, ...encryptionOf(audio, audioIndex, choice) },
      voices: voicesOf(audio).filter(({ codec }) => codecs.includes(codec)),
    }))
    .filter(({ audio: { type, port, protocol } }) => {
      const isRtp = [PLAIN_PROFILES, SECURE_PROFILES, DTLS_PROFILES].some((profiles) =>
        profiles.has(protocol),
      );
      return type === 'audio' && port !== 0 && isRtp;
    });
  if (audioSections.length === 0)
    return refusal('The SDP has no audio over RTP/AVP, RTP/SAVP or UDP/TLS/RTP/SAVP');
  const sections = audioSections.filter(({ voices }) => voices.length > 0);
  if (sections.length === 0) return refusal(`The SDP has none of the codecs ${codecs.join(', ')}`);
  const encrypted = sections.find(({ cryptos, dtls }) => cryptos.length > 0 || dtls);
  if (encrypted) return encrypted;
  const supported = keyExchanges.map((each) => (each === 'dtls' ? 'DTLS-SRTP' : 'a=crypto'));
  const missing = `The SDP has no audio with supported encryption (${supported.join(', ')})`;
  if (encryption === 'required' || encryption === 'dtls') return refusal(`${missing}, which is required`);
  const plain = sections.find(({ audio }) => PLAIN_PROFILES.has(audio.protocol));
  return (
    plain ?? refusal(supported.length > 0 ? missing : 'The SDP has encrypted audio, which was not offered')
  );
}

/** Depends on the profile. With a plain profile and both kinds of keys, the keys in SDP are used (RFC 8643). */
function encryptionOf(
  { protocol, crypto }: Section,
  index: number,
  { keyExchanges, dtlsOf }: AudioChoice,
): Pick<RemoteMedia, 'cryptos' | 'dtls'> {
  const hasSdes = keyExchanges.includes('sdes') && !DTLS_PROFILES.has(protocol);
  const cryptos = hasSdes ? readCryptoAttributes(crypto) : [];
  const hasDtls = keyExchanges.includes('dtls') && cryptos.length === 0;
  return { cryptos, dtls: hasDtls ? dtlsOf(index) : null };
}

/** Some peers separate or end the list with additional spaces. */
function payloadsOf({ payloads }: Section): string {
  return asText(payloads).trim().replaceAll(/ +/gu, ' ');
}

function payloadTypesOf(section: Section): number[] {
  return payloadsOf(section).split(' ', MAX_PAYLOADS).map(Number).filter(isPayloadType);
}

function voicesOf(section: Section): RemoteMedia['voices'] {
  return payloadTypesOf(section).flatMap((payloadType) => {
    const map = section.rtp.find(({ payload }) => payload === payloadType);
    const codec = map
      ? voiceCodecOf(asText(map.codec), map.rate ?? 0, Number(asText(map.encoding ?? 1)))
      : staticVoiceCodec(payloadType);
    return codec ? [{ payloadType, codec }] : [];
  });
}

const MIN_EVENT_RATE_HZ = 8000;
const MAX_EVENT_RATE_HZ = 48_000;
/** Parameters of telephone events: at least the digits. */
const EVENTS = /^0-(?:9|1\d)(?:,|$)/u;

/** Some peers describe telephone events by `a=fmtp` only. */
function telephoneEventsOf(section: Section): RemoteMedia['telephoneEvents'] {
  const { rtp, fmtp } = section;
  return new Map(
    payloadTypesOf(section).flatMap((payloadType) => {
      const map = rtp.find(({ payload }) => payload === payloadType);
      const isNamed = asText(map?.codec).toLowerCase() === 'telephone-event';
      const isImplied =
        !map && fmtp.some(({ payload, config }) => payload === payloadType && EVENTS.test(asText(config)));
      const rateHz = isImplied ? MIN_EVENT_RATE_HZ : isNamed ? (map?.rate ?? 0) : 0;
      return rateHz >= MIN_EVENT_RATE_HZ && rateHz <= MAX_EVENT_RATE_HZ ? [[payloadType, rateHz]] : [];
    }),
  );
}

export function isRefusal(value: object | string | null): value is SdpRefusal {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refused';
}
