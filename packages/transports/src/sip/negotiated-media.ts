import type { PayloadTypes } from '../voice/user-voice.ts';
import type { SentVoice } from '../voice/agent-voice.ts';
import { OWN_TELEPHONE_EVENTS } from './local-sdp.ts';
import type { NegotiatedEncryption } from '../srtp/media-encryption.ts';
import type { Direction, RemoteMedia } from './remote-media.ts';
import { VOICE_FORMATS, type VoiceCodec } from '../rtp/voice-codecs.ts';

/** The audio exchange that results from the peer's latest description. */
export interface NegotiatedMedia {
  /** The direction in the local description. */
  direction: Direction;
  /** The preferred codec. */
  codec: VoiceCodec;
  /** Null if nothing is sent. */
  sends: SentVoice | null;
  /** Telephone events that the peer accepts, with the clock of the sent audio; null if it accepts none. */
  sendsEvents: { payloadType: number } | null;
  /** Whether audio flows in both directions. False on hold: the peer may then send music, and missing media is normal. */
  isTwoWay: boolean;
  receives: PayloadTypes;
  /** Whether the peer describes telephone events. Otherwise it may send keys as tones. */
  hasEvents: boolean;
  /** Null if the audio is not encrypted. */
  encryption: NegotiatedEncryption | null;
}

/**
 * `isAnswer`: the peer answers a local offer. It may then send the payload types of either description (telephone
 * events).
 */
export function negotiateMedia(
  remote: RemoteMedia,
  isAnswer: boolean,
  encryption: NegotiatedEncryption | null = null,
): NegotiatedMedia {
  const { target, direction, voices, telephoneEvents } = remote;
  const peerReceives = target !== null && (direction === 'sendrecv' || direction === 'recvonly');
  const peerSends = direction === 'sendrecv' || direction === 'sendonly';
  const taken = new Set(voices.map(({ payloadType }) => payloadType));
  const own = isAnswer ? [...OWN_TELEPHONE_EVENTS].filter(([payloadType]) => !taken.has(payloadType)) : [];
  const [preferred] = voices;
  const codec = preferred?.codec ?? 'PCMU';
  const events = eventsFor(codec, telephoneEvents);
  return {
    direction: peerReceives ? (peerSends ? 'sendrecv' : 'sendonly') : peerSends ? 'recvonly' : 'inactive',
    codec,
    sends: peerReceives ? (preferred ?? null) : null,
    sendsEvents: peerReceives && events !== null ? { payloadType: events } : null,
    isTwoWay: peerReceives && peerSends,
    encryption,
    hasEvents: telephoneEvents.size > 0,
    receives: {
      voices: new Map(voices.map((voice) => [voice.payloadType, voice.codec])),
      telephoneEvents: new Map([...own, ...telephoneEvents]),
    },
  };
}

/** The payload type of telephone events with the codec's clock (RFC 4733, 2.1); null if there is none. */
function eventsFor(codec: VoiceCodec, events: RemoteMedia['telephoneEvents']): number | null {
  const { clockRateHz } = VOICE_FORMATS[codec];
  for (const [payloadType, rateHz] of events) if (rateHz === clockRateHz) return payloadType;
  return null;
}
