import { isIP } from 'node:net';
import { SipEncryption } from '@calls/api-contract/call-spec';
import type { EnvReader } from '@calls/foundation/env-reader';
import { SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { boolean, choice, integer, text, type PortRange, type ValuesOf } from '@calls/foundation/variable';
import { DEFAULT_SESSION_EXPIRES_S, type SipTlsOptions } from '@calls/sip/endpoint-options';
import { DEFAULT_MEDIA_TIMEOUT_MS } from '@calls/transports/sip/transport';
import { NAME_FORM, RTC_ANNOUNCED_ADDRESS } from '../web-rtc/web-rtc-config.ts';

export interface SipConfig {
  /** Local listening addresses: an IPv4 address, an IPv6 address, or both. */
  listen: readonly string[];
  /** Port for UDP and TCP; 0 uses a free one. */
  port: number;
  /**
   * Addresses or a host name announced to peers. A family without one uses its listening address, or else the machine's
   * first address.
   */
  announced: readonly string[];
  /** Null disables calls over TLS. */
  tls: Omit<SipTlsOptions, 'name'> | null;
  rtpPorts: PortRange;
  /** Session interval of outgoing calls, in seconds; 0 for none. */
  sessionExpiresS: number;
  /** A call ends if its peer sends nothing for this long, unless it is on hold. */
  mediaTimeoutMs: number;
  /** Encryption of incoming calls, and of outgoing calls without a setting of their own. */
  mediaEncryption: SipEncryption;
}

const VARIABLES = {
  SIP_LISTEN_ADDRESS: text({
    default: '0.0.0.0',
    meaning: 'IPv4 or IPv6 address to listen on, or both, as in `0.0.0.0,::`.',
  }),
  SIP_PORT: SHARED_VARIABLES.SIP_PORT,
  SIP_ADDRESS: text({
    unset: 'see below',
    meaning: 'Address that is announced to SIP peers, or one per address family.',
  }),
  SIP_TLS: SHARED_VARIABLES.SIP_TLS,
  SIP_TLS_PORT: SHARED_VARIABLES.SIP_TLS_PORT,
  SIP_TLS_CERTIFICATE_FILE: text({
    unset: 'none',
    meaning: 'PEM file with the certificate and intermediate certificates.',
  }),
  SIP_TLS_KEY_FILE: text({ unset: 'none', meaning: 'PEM file with the key, not encrypted.' }),
  SIP_TLS_CA_FILE: text({
    unset: 'none',
    meaning: 'PEM file with authorities that are trusted in addition to the public ones.',
  }),
  SIP_TLS_CLIENT_CERTIFICATES: boolean({
    default: false,
    meaning: 'Requires peers to have a certificate of an authority in `SIP_TLS_CA_FILE`.',
  }),
  SIP_RTP_PORTS: SHARED_VARIABLES.SIP_RTP_PORTS,
  SIP_MEDIA_TIMEOUT_MS: integer({
    default: DEFAULT_MEDIA_TIMEOUT_MS,
    min: 1000,
    max: 3_600_000,
    meaning: 'How long a call that is not on hold may receive no packets.',
  }),
  SIP_MEDIA_ENCRYPTION: choice({
    values: SipEncryption.enum,
    default: 'off',
    meaning: 'SRTP: `off`, `optional`, `required`, or `dtls` (required, with keys from DTLS).',
  }),
  SIP_SESSION_EXPIRES_S: integer({
    default: DEFAULT_SESSION_EXPIRES_S,
    min: 0,
    max: 86_400,
    meaning: 'Session timer (RFC 4028) of outgoing calls, at least 90; 0 disables it.',
  }),
  RTC_ANNOUNCED_ADDRESS,
};

/** Collects issues in `env`; the caller must call `env.finish()`. */
export function readSipConfig(env: EnvReader): SipConfig {
  const values = env.read(VARIABLES);
  const listen = itemsOf(values.SIP_LISTEN_ADDRESS);
  if (!listen.every((each) => isIP(each) !== 0) || !isOnePerFamily(listen)) {
    env.addIssue(
      `SIP_LISTEN_ADDRESS must be an IPv4 address, an IPv6 address, or both with a comma between, not "${listen.join()}"`,
    );
  }
  const announced = itemsOf(values.SIP_ADDRESS ?? values.RTC_ANNOUNCED_ADDRESS ?? '').filter(Boolean);
  const isValid =
    announced.every((each) => isIP(each) !== 0 || NAME_FORM.test(each)) && isOnePerFamily(announced);
  // `readRtcConfig` reports an invalid RTC_ANNOUNCED_ADDRESS.
  if (!isValid && values.SIP_ADDRESS !== null) {
    env.addIssue(
      `SIP_ADDRESS must be an IPv4 address, an IPv6 address, both with a comma between, or a name, not "${announced.join()}"`,
    );
  }
  const { SIP_SESSION_EXPIRES_S: sessionExpiresS } = values;
  if (sessionExpiresS > 0 && sessionExpiresS < 90)
    env.addIssue(`SIP_SESSION_EXPIRES_S must be 0 or at least 90, not ${sessionExpiresS}`);
  return {
    listen,
    port: values.SIP_PORT,
    tls: tlsConfig(values, (issue) => env.addIssue(issue)),
    announced,
    rtpPorts: values.SIP_RTP_PORTS,
    sessionExpiresS,
    mediaTimeoutMs: values.SIP_MEDIA_TIMEOUT_MS,
    mediaEncryption: values.SIP_MEDIA_ENCRYPTION,
  };
}

function itemsOf(list: string): string[] {
  return list.split(',').map((item) => item.trim());
}

/** Whether there is at most one address of each family, or one name. */
function isOnePerFamily(addresses: readonly string[]): boolean {
  const kinds = addresses.map((address) => isIP(address));
  return new Set(kinds).size === kinds.length && (kinds.length < 2 || !kinds.includes(0));
}

function tlsConfig(values: ValuesOf<typeof VARIABLES>, onIssue: (issue: string) => void): SipConfig['tls'] {
  if (!values.SIP_TLS) return null;
  const {
    SIP_TLS_CERTIFICATE_FILE: certificateFile,
    SIP_TLS_KEY_FILE: keyFile,
    SIP_TLS_CA_FILE: caFile,
  } = values;
  const requiresClientCertificate = values.SIP_TLS_CLIENT_CERTIFICATES;
  if (requiresClientCertificate && caFile === null)
    onIssue('SIP_TLS_CLIENT_CERTIFICATES needs SIP_TLS_CA_FILE');
  if (certificateFile === null || keyFile === null) {
    onIssue('SIP_TLS needs SIP_TLS_CERTIFICATE_FILE and SIP_TLS_KEY_FILE');
    return null;
  }
  return { port: values.SIP_TLS_PORT, certificateFile, keyFile, caFile, requiresClientCertificate };
}
