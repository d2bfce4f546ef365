import { describe, expect, it } from '@jest/globals';
import { iceServers } from './ice-servers.ts';

const callId = '01890a5d-ac96-774b-bcce-b302099a8057';
const CALL = { callId, overByMs: 1_433_895_099_001 };
const urls = ['stun:stun.test', 'turn:turn.test:3478?transport=udp', 'turns:turn.test:443?transport=tcp'];

describe('iceServers', () => {
  it('has none where none are configured', () => {
    expect(iceServers({ urls: [], credentials: { kind: 'none' } }, CALL)).toEqual([]);
  });

  it('gives credentials to TURN servers alone', () => {
    const credentials = { kind: 'fixed', username: 'u', credential: 'c' } as const;
    expect(iceServers({ urls, credentials }, CALL)).toEqual([
      { urls: ['stun:stun.test'] },
      { urls: urls.slice(1), username: 'u', credential: 'c' },
    ]);
  });

  it('makes credentials for one call from a shared secret, for as long as it may last', () => {
    const credentials = { kind: 'secret', secret: 'north' } as const;
    const servers = iceServers({ urls: ['turn:turn.test'], credentials }, CALL);
    // As `openssl dgst -sha1 -hmac north -binary | base64` has it.
    expect(servers).toEqual([
      {
        urls: ['turn:turn.test'],
        username: `1433895100:${callId}`,
        credential: '5cJ8CvVAOjYw/c0iiTFtuDE9mfY=',
      },
    ]);
  });
});
