import { describe, expect, it } from '@jest/globals';
import { iceServers } from './ice-servers.ts';

const callId = '01890a5d-ac96-774b-bcce-b302099a8057';
const CALL = { callId, deadlineMs: 1_433_895_099_001 };
const urls = ['stun:stun.test', 'turn:turn.test:3478?transport=udp', 'turns:turn.test:443?transport=tcp'];

describe('iceServers', () => {
  it('returns no servers when none are configured', () => {
    expect(iceServers({ urls: [], credentials: { kind: 'none' } }, CALL)).toEqual([]);
  });

  it('adds credentials to TURN servers only', () => {
    const credentials = { kind: 'fixed', username: 'u', credential: 'c' } as const;
    expect(iceServers({ urls, credentials }, CALL)).toEqual([
      { urls: ['stun:stun.test'] },
      { urls: urls.slice(1), username: 'u', credential: 'c' },
    ]);
  });

  it('derives credentials for one call from a shared secret, valid until the call’s deadline', () => {
    const credentials = { kind: 'secret', secret: 'north' } as const;
    const servers = iceServers({ urls: ['turn:turn.test'], credentials }, CALL);
    // The output of `openssl dgst -sha1 -hmac north -binary | base64`.
    expect(servers).toEqual([
      {
        urls: ['turn:turn.test'],
        username: `1433895100:${callId}`,
        credential: '5cJ8CvVAOjYw/c0iiTFtuDE9mfY=',
      },
    ]);
  });
});
