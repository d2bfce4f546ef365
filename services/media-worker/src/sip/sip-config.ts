import { isIPv4 } from 'node:net';
import type { EnvReader } from '@calls/foundation';
import type { RtpPortRange } from '@calls/transports';

export interface SipConfig {
  /** The local IPv4 address to listen at; '' all of them. */
  listen: string;
  /** UDP and TCP. 0: any free one. */
  port: number;
  /** What peers are told, an IPv4 address or a name that has one; '' the address that is listened at, or the machine's first. */
  announced: string;
  rtpPorts: RtpPortRange;
}

const MIN_RTP_PORT = 1024;
const NAME_FORM = /^[\w.-]+$/u;

/** Faults are collected in `env`; its owner calls `finish`. */
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
    rtpPorts: readRtpPorts(env),
  };
}

function readRtpPorts(env: EnvReader): RtpPortRange {
  const text = env.string('SIP_RTP_PORTS', '20000-21999');
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/u.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  const isRange = range.first >= MIN_RTP_PORT && range.first < range.last && range.last <= 65_535;
  if (!isRange)
    env.fault(`SIP_RTP_PORTS must be two ports from ${MIN_RTP_PORT} on, like 20000-21999, not "${text}"`);
  return range;
}
