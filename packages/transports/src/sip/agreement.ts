import type { PayloadTypes } from './user-voice.ts';
import type { SentVoice } from './agent-voice.ts';
import { TELEPHONE_EVENT } from './local-sdp.ts';
import type { Direction, RemoteMedia } from './remote-media.ts';

/** The audio exchange that follows from the peer's latest description. */
export interface Agreement {
  /** The direction in our description. */
  direction: Direction;
  /** Null: we send nothing. */
  sends: SentVoice | null;
  /** Whether the peer is there: not on hold, where it may send music, and where nothing is missed. */
  hears: boolean;
  receives: PayloadTypes;
}

/**
 * `isAnswer`: the peer answers an offer of ours; it may then send the payload types of either side's description, where they
 * differ (telephone events).
 */
export function agreeOn(
  { target, direction, voices, telephoneEvent }: RemoteMedia,
  isAnswer: boolean,
): Agreement {
  const peerHears = target !== null && (direction === 'sendrecv' || direction === 'recvonly');
  const peerSends = direction === 'sendrecv' || direction === 'sendonly';
  const ownEvents = isAnswer && !voices.some(({ payloadType }) => payloadType === TELEPHONE_EVENT);
  return {
    direction: peerHears ? (peerSends ? 'sendrecv' : 'sendonly') : peerSends ? 'recvonly' : 'inactive',
    sends: peerHears ? (voices[0] ?? null) : null,
    hears: peerHears && peerSends,
    receives: {
      voices: new Map(voices.map(({ payloadType, codec }) => [payloadType, codec])),
      telephoneEvents: new Set([
        ...(telephoneEvent === null ? [] : [telephoneEvent]),
        ...(ownEvents ? [TELEPHONE_EVENT] : []),
      ]),
    },
  };
}
