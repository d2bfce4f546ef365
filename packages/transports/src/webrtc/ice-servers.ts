import { createHmac } from 'node:crypto';
import type { IceServer } from '@calls/api-contract/signalling/signal-messages';

export interface TurnConfig {
  /** `stun:`, `turn:` or `turns:` URLs. */
  urls: readonly string[];
  credentials:
    | { kind: 'none' }
    | { kind: 'fixed'; username: string; credential: string }
    /** Shared with the TURN server (coturn's `use-auth-secret`). Each call gets different credentials. */
    | { kind: 'secret'; secret: string };
}

export interface CallSpan {
  callId: string;
  /** Latest end of the call, as epoch milliseconds. */
  deadlineMs: number;
}

/** STUN and TURN servers for a client, with its credentials. */
export function iceServers({ urls, credentials }: TurnConfig, call: CallSpan): IceServer[] {
  const stun = urls.filter((url) => url.startsWith('stun'));
  const turn = urls.filter((url) => url.startsWith('turn'));
  const servers: IceServer[] = [];
  if (stun.length > 0) servers.push({ urls: stun });
  if (turn.length > 0) servers.push({ urls: turn, ...credentialsOf(credentials, call) });
  return servers;
}

/** Credentials in REST form (draft-uberti-behave-turn-rest), valid until the time at the start of the username. */
function credentialsOf(
  credentials: TurnConfig['credentials'],
  { callId, deadlineMs }: CallSpan,
): Pick<IceServer, 'username' | 'credential'> {
  switch (credentials.kind) {
    case 'none':
      return {};
    case 'fixed':
      return { username: credentials.username, credential: credentials.credential };
    case 'secret': {
      const username = `${Math.ceil(deadlineMs / 1000)}:${callId}`;
      const credential = createHmac('sha1', credentials.secret).update(username).digest('base64');
      return { username, credential };
    }
  }
}
