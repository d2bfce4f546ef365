import { createHmac } from 'node:crypto';
import type { IceServer } from '@calls/api-contract/signalling/signal-messages';

export interface TurnConfig {
  /** `stun:`, `turn:`, `turns:`. */
  urls: readonly string[];
  credentials:
    | { kind: 'none' }
    | { kind: 'fixed'; username: string; credential: string }
    /** Shared with the TURN server (coturn's `use-auth-secret`): each call gets credentials of its own. */
    | { kind: 'secret'; secret: string };
}

export interface CallSpan {
  callId: string;
  /** Epoch: it isn't live any longer than that. */
  overByMs: number;
}

/** The servers through which a client behind a strict network may be reached, with its credentials. */
export function iceServers({ urls, credentials }: TurnConfig, call: CallSpan): IceServer[] {
  const stun = urls.filter((url) => url.startsWith('stun'));
  const turn = urls.filter((url) => url.startsWith('turn'));
  const servers: IceServer[] = [];
  if (stun.length > 0) servers.push({ urls: stun });
  if (turn.length > 0) servers.push({ urls: turn, ...credentialsOf(credentials, call) });
  return servers;
}

/** The REST form (draft-uberti-behave-turn-rest): valid until the time that the username begins with. */
function credentialsOf(
  credentials: TurnConfig['credentials'],
  { callId, overByMs }: CallSpan,
): Pick<IceServer, 'username' | 'credential'> {
  switch (credentials.kind) {
    case 'none':
      return {};
    case 'fixed':
      return { username: credentials.username, credential: credentials.credential };
    case 'secret': {
      const username = `${Math.ceil(overByMs / 1000)}:${callId}`;
      const credential = createHmac('sha1', credentials.secret).update(username).digest('base64');
      return { username, credential };
    }
  }
}
