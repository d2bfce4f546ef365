import { describe, expect, it } from '@jest/globals';
import { ConfigError, EnvReader } from '@calls/foundation/env-reader';
import { readSipConfig, type SipConfig } from './sip-config.ts';

function read(environment: Record<string, string>): SipConfig {
  const env = new EnvReader(environment);
  const config = readSipConfig(env);
  env.finish();
  return config;
}

describe('readSipConfig', () => {
  it('has defaults for everything', () => {
    expect(read({})).toEqual({
      listen: ['0.0.0.0'],
      port: 5060,
      tls: null,
      announced: [],
      rtpPorts: { first: 20_000, last: 21_999 },
      sessionExpiresS: 1800,
      mediaTimeoutMs: 30_000,
      mediaEncryption: 'off',
    });
  });

  it('announces the same address as WebRTC by default', () => {
    const RTC_ANNOUNCED_ADDRESS = '203.0.113.7';
    expect(read({ RTC_ANNOUNCED_ADDRESS }).announced).toEqual([RTC_ANNOUNCED_ADDRESS]);
    expect(read({ RTC_ANNOUNCED_ADDRESS, SIP_ADDRESS: 'sip.example.com' }).announced).toEqual([
      'sip.example.com',
    ]);
  });

  it('leaves it to WebRTC to report an invalid RTC_ANNOUNCED_ADDRESS', () => {
    expect(() => read({ RTC_ANNOUNCED_ADDRESS: '203.0.113.7:10000' })).not.toThrow();
  });

  it('reads an address of each family', () => {
    const { listen, announced } = read({
      SIP_LISTEN_ADDRESS: '0.0.0.0, ::',
      SIP_ADDRESS: '203.0.113.7 , 2001:db8::7',
    });
    expect([listen, announced]).toEqual([
      ['0.0.0.0', '::'],
      ['203.0.113.7', '2001:db8::7'],
    ]);
  });

  it('reads TLS files only if TLS is enabled', () => {
    const files = { SIP_TLS_CERTIFICATE_FILE: 'a.pem', SIP_TLS_KEY_FILE: 'a.key', SIP_TLS_CA_FILE: 'ca.pem' };
    expect(read(files).tls).toBeNull();
    expect(read({ ...files, SIP_TLS: 'true', SIP_TLS_CLIENT_CERTIFICATES: 'true' }).tls).toEqual({
      port: 5061,
      certificateFile: 'a.pem',
      keyFile: 'a.key',
      caFile: 'ca.pem',
      requiresClientCertificate: true,
    });
  });

  it.each([
    [{ SIP_TLS: 'true', SIP_TLS_KEY_FILE: 'a.key' }, 'SIP_TLS_CERTIFICATE_FILE'],
    [
      {
        ...{ SIP_TLS: 'true', SIP_TLS_KEY_FILE: 'a.key', SIP_TLS_CERTIFICATE_FILE: 'a.pem' },
        SIP_TLS_CLIENT_CERTIFICATES: 'true',
      },
      'SIP_TLS_CA_FILE',
    ],
    [{ SIP_SESSION_EXPIRES_S: '89' }, 'SIP_SESSION_EXPIRES_S'],
    [{ SIP_PORT: '70000' }, 'SIP_PORT'],
    [{ SIP_LISTEN_ADDRESS: 'localhost' }, 'SIP_LISTEN_ADDRESS'],
    [{ SIP_LISTEN_ADDRESS: '::1,::' }, 'SIP_LISTEN_ADDRESS'],
    [{ SIP_ADDRESS: 'sip.example.com,203.0.113.7' }, 'SIP_ADDRESS'],
    [{ SIP_ADDRESS: 'sip:x' }, 'SIP_ADDRESS'],
    [{ SIP_MEDIA_ENCRYPTION: 'always' }, 'SIP_MEDIA_ENCRYPTION'],
    [{ SIP_RTP_PORTS: '20000' }, 'SIP_RTP_PORTS'],
    [{ SIP_RTP_PORTS: '21999-20000' }, 'SIP_RTP_PORTS'],
    [{ SIP_RTP_PORTS: '80-90' }, 'SIP_RTP_PORTS'],
    [{ SIP_RTP_PORTS: '60000-70000' }, 'SIP_RTP_PORTS'],
  ])('names the variable that is invalid (%j)', (environment, variable) => {
    const issues = (): readonly string[] => {
      try {
        read(environment);
        return [];
      } catch (thrown) {
        return thrown instanceof ConfigError ? thrown.issues : [];
      }
    };
    expect(issues()).toEqual([expect.stringContaining(variable)]);
  });
});
