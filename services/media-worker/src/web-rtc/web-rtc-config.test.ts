import { describe, expect, it } from '@jest/globals';
import { ConfigError, EnvReader } from '@calls/foundation/env-reader';
import { readRtcConfig, type RtcConfig } from './web-rtc-config.ts';

const BIN = { MEDIASOUP_WORKER_BIN: '/opt/mediasoup-worker' };

function read(environment: Record<string, string>): RtcConfig {
  const env = new EnvReader(environment);
  const config = readRtcConfig(env, 1);
  env.finish();
  return config;
}

function issues(environment: Record<string, string>): readonly string[] {
  try {
    read(environment);
    return [];
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.issues;
    throw thrown;
  }
}

describe('readRtcConfig', () => {
  it('has defaults for everything except the worker binary', () => {
    expect(read(BIN)).toMatchObject({
      kind: 'webRtc',
      webRtc: {
        workerBin: BIN.MEDIASOUP_WORKER_BIN,
        port: 10_000,
        addresses: { listen: '', announced: '' },
        turn: { urls: [], credentials: { kind: 'none' } },
      },
    });
  });

  it('reports why WebRTC is not available', () => {
    expect(read({ WEBRTC_UNAVAILABLE: 'it could not be built' })).toEqual({
      kind: 'unavailable',
      reason: 'it could not be built',
    });
    expect(read({})).toMatchObject({ reason: expect.stringContaining('MEDIASOUP_WORKER_BIN') });
  });

  it('accepts TURN servers with a shared secret or with credentials', () => {
    const urls = 'stun:stun.test, turn:turn.test:3478, turns:turn.test:443?transport=tcp';
    expect(read({ ...BIN, TURN_URLS: urls, TURN_SECRET: 's' })).toMatchObject({
      webRtc: {
        turn: {
          urls: ['stun:stun.test', 'turn:turn.test:3478', 'turns:turn.test:443?transport=tcp'],
          credentials: { kind: 'secret', secret: 's' },
        },
      },
    });
    expect(read({ ...BIN, TURN_URLS: urls, TURN_USERNAME: 'u', TURN_CREDENTIAL: 'c' })).toMatchObject({
      webRtc: { turn: { credentials: { kind: 'fixed', username: 'u', credential: 'c' } } },
    });
  });

  it.each([
    [{ RTC_PORT: '70000' }, 'RTC_PORT'],
    [{ RTC_PORT: '65535', RTC_WORKERS: '2' }, 'RTC_PORT'],
    [{ RTC_WORKERS: '0' }, 'RTC_WORKERS'],
    [{ RTC_LISTEN_ADDRESS: 'media.test' }, 'RTC_LISTEN_ADDRESS'],
    [{ RTC_LISTEN_ADDRESS: '::' }, 'RTC_LISTEN_ADDRESS :: needs RTC_ANNOUNCED_ADDRESS'],
    [{ RTC_LISTEN_ADDRESS: '0.0.0.0' }, 'RTC_LISTEN_ADDRESS 0.0.0.0 needs RTC_ANNOUNCED_ADDRESS'],
    [{ RTC_ANNOUNCED_ADDRESS: 'http://x' }, 'RTC_ANNOUNCED_ADDRESS'],
    [{ RTC_ANNOUNCED_ADDRESS: '203.0.113.7:10000' }, 'RTC_ANNOUNCED_ADDRESS'],
    [{ RTC_ANNOUNCED_ADDRESS: '[2001:db8::7]' }, 'RTC_ANNOUNCED_ADDRESS'],
    [{ TURN_URLS: 'https://turn.test' }, 'TURN_URLS'],
    [{ TURN_URLS: 'turn:turn.test' }, 'TURN_SECRET'],
    [{ TURN_USERNAME: 'u' }, 'TURN_CREDENTIAL'],
    [{ TURN_URLS: 'turn:t.test', TURN_USERNAME: 'u', TURN_CREDENTIAL: 'c', TURN_SECRET: 's' }, 'TURN_SECRET'],
  ])('names the variable that is invalid (%j)', (environment, variable) => {
    expect(issues({ ...BIN, ...environment })).toEqual([expect.stringContaining(variable)]);
  });
});
