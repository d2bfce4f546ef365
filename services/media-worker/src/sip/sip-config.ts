import { isIPv4 } from 'node:net';
import type { EnvReader, PortRange } from '@calls/foundation/env-reader';

export interface SipConfig {
  /** The local IPv4 address to listen at; '' all of them. */
  listen: string;
  /** UDP and TCP. 0: any free one. */
  port: number;
  /** Announced to peers: an IPv4 address or a host name. '': the listening address, or the machine's first one. */
  announced: string;
  rtpPorts: PortRange;
}

/** Below the ephemeral ports of Linux: no other program's connections take one by chance. */
const DEFAULT_RTP_PORTS = { first: 20_000, last: 21_999 };
const NAME_FORM = /^[\w.-]+$/u;

/** Issues are collected in `env`; the caller calls `finish`. */
export function readSipConfig(env: EnvReader): SipConfig {
  const listen = env.string('SIP_LISTEN_ADDRESS', '');
  if (listen !== '' && !isIPv4(listen))
    env.fault(`SIP_LISTEN_ADDRESS must be an IPv4 address, not "${listen}"`);
  const own = env.string('SIP_ADDRESS', '');
  if (!NAME_FORM.test(own || 'none'))
    env.fault(`SIP_ADDRESS must be an IPv4 address or a name, not "${own}"`);
  return {
    listen,
    port: env.integer('SIP_PORT', { fallback: 5060, min: 0, max: 65_535 }),
    announced: own || env.string('RTC_ANNOUNCED_ADDRESS', ''),
    rtpPorts: env.portRange('SIP_RTP_PORTS', DEFAULT_RTP_PORTS),
  };
}
