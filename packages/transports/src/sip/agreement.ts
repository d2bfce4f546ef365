import type { PayloadTypes } from './user-voice.ts';
import type { SentVoice } from './agent-voice.ts';
import { TELEPHONE_EVENT } from './local-sdp.ts';
import type { MediaKeys } from './media-encryption.ts';
import type { Direction, RemoteMedia } from './remote-media.ts';

/** The audio exchange that results from the peer's latest description. */
export interface Agreement {
  /** The direction in the local description. */
  direction: Direction;
  /** Null if nothing is sent. */
  sends: SentVoice | null;
  /** Whether the peer listens. False on hold: the peer may then send music, and missing media is normal. */
  hears: boolean;
  receives: PayloadTypes;
  /** Null if the audio is not encrypted. */
  keys: MediaKeys | null;
}

/**
 * `isAnswer`: the peer answers a local offer. It may then send the payload types of either description (telephone
 * events).
 */
export function agreeOn(
  { target, direction, voices, telephoneEvent }: RemoteMedia,
  isAnswer: boolean,
  keys: MediaKeys | null = null,
): Agreement {
  const peerHears = target !== null && (direction === 'sendrecv' || direction === 'recvonly');
  const peerSends = direction === 'sendrecv' || direction === 'sendonly';
  const ownEvents = isAnswer && !voices.some(({ payloadType }) => payloadType === TELEPHONE_EVENT);
  return {
    direction: peerHears ? (peerSends ? 'sendrecv' : 'sendonly') : peerSends ? 'recvonly' : 'inactive',
    sends: peerHears ? (voices[0] ?? null) : null,
    hears: peerHears && peerSends,
    keys,
    receives: {
      voices: new Map(voices.map(({ payloadType, codec }) => [payloadType, codec])),
      telephoneEvents: new Set([
        ...(telephoneEvent === null ? [] : [telephoneEvent]),
        ...(ownEvents ? [TELEPHONE_EVENT] : []),
      ]),
    },
  };
}
