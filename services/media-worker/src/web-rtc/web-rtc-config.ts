import { isIP } from 'node:net';
import type { EnvReader } from '@calls/foundation/env-reader';
import { SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { text, type ValuesOf } from '@calls/foundation/variable';
import type { TurnConfig } from '@calls/transports/webrtc/ice-servers';
import type { WebRtcConfig } from '@calls/transports/webrtc/web-rtc';
import { readMachine } from '../capacity/machine.ts';

/** `unavailable`: why this worker does not support WebRTC. */
export type RtcConfig = { kind: 'webRtc'; webRtc: WebRtcConfig } | { kind: 'unavailable'; reason: string };

const MAX_WORKERS = 8;
const URL_FORM = /^(?:stun|stuns|turn|turns):[^\s,/?]+(?:\?transport=(?:udp|tcp))?$/u;
/** Of host names. */
export const NAME_FORM = /^[\w.-]+$/u;
/** Clients cannot connect to these. */
const ALL_ADDRESSES = ['0.0.0.0', '::'];

export const RTC_ANNOUNCED_ADDRESS = text({
  unset: 'the listen address',
  meaning: 'Address or host name that is announced to WebRTC clients.',
});

const VARIABLES = {
  RTC_PORT: SHARED_VARIABLES.RTC_PORT,
  RTC_WORKERS: SHARED_VARIABLES.RTC_WORKERS,
  RTC_LISTEN_ADDRESS: text({
    unset: 'every IPv4 address; on IPv6-only machines, every IPv6 address',
    meaning: 'Local IP address for WebRTC media.',
  }),
  RTC_ANNOUNCED_ADDRESS,
  TURN_URLS: text({ unset: 'none', meaning: '`stun:`, `turn:` and `turns:` URLs, separated by commas.' }),
  TURN_SECRET: text({ unset: 'none', meaning: 'Secret that is shared with the TURN servers.' }),
  TURN_USERNAME: text({ unset: 'none', meaning: 'User name of all clients, instead of `TURN_SECRET`.' }),
  TURN_CREDENTIAL: text({ unset: 'none', meaning: 'Password for `TURN_USERNAME`.' }),
  MEDIASOUP_WORKER_BIN: SHARED_VARIABLES.MEDIASOUP_WORKER_BIN,
  WEBRTC_UNAVAILABLE: text({ unset: 'set by the setup', meaning: 'Why `MEDIASOUP_WORKER_BIN` is not set.' }),
};
type Values = ValuesOf<typeof VARIABLES>;

/** Collects issues in `env`; the caller must call `env.finish()`. */
export function readRtcConfig(env: EnvReader, workersHere: number): RtcConfig {
  const values = env.read(VARIABLES);
  const cores = Math.floor(readMachine().cores / workersHere);
  const workers = values.RTC_WORKERS ?? Math.min(Math.max(1, cores), MAX_WORKERS);
  const port = values.RTC_PORT;
  if (port + workers - 1 > 65_535) env.addIssue('RTC_PORT leaves no ports for RTC_WORKERS workers');
  const addresses = readAddresses(env, values);
  const turn = readTurnConfig(env, values);
  const workerBin = values.MEDIASOUP_WORKER_BIN;
  if (workerBin !== null) return { kind: 'webRtc', webRtc: { workerBin, port, workers, addresses, turn } };
  const reason =
    values.WEBRTC_UNAVAILABLE ?? 'mediasoup’s worker program is missing: MEDIASOUP_WORKER_BIN is not set';
  return { kind: 'unavailable', reason };
}

function readAddresses(env: EnvReader, values: Values): WebRtcConfig['addresses'] {
  const listen = values.RTC_LISTEN_ADDRESS ?? '';
  const announced = values.RTC_ANNOUNCED_ADDRESS ?? '';
  if (listen !== '' && isIP(listen) === 0)
    env.addIssue(`RTC_LISTEN_ADDRESS must be an IP address, not "${listen}"`);
  if (announced !== '' && isIP(announced) === 0 && !NAME_FORM.test(announced))
    env.addIssue(
      `RTC_ANNOUNCED_ADDRESS must be an IP address or a host name, without a port, not "${announced}"`,
    );
  if (announced === '' && ALL_ADDRESSES.includes(listen))
    env.addIssue(`RTC_LISTEN_ADDRESS ${listen} needs RTC_ANNOUNCED_ADDRESS`);
  return { listen, announced };
}

function readTurnConfig(env: EnvReader, values: Values): TurnConfig {
  const urls = (values.TURN_URLS ?? '')
    .split(',')
    .map((url) => url.trim())
    .filter(Boolean);
  if (!urls.every((url) => URL_FORM.test(url))) {
    env.addIssue('TURN_URLS must be stun:, turn: or turns: addresses with commas between');
  }
  const username = values.TURN_USERNAME ?? '';
  const credential = values.TURN_CREDENTIAL ?? '';
  const secret = values.TURN_SECRET ?? '';
  if ((username === '') !== (credential === '')) {
    env.addIssue('TURN_USERNAME and TURN_CREDENTIAL must be set together');
  }
  if (secret !== '' && username !== '') env.addIssue('TURN_SECRET and TURN_USERNAME must not both be set');
  const isNone = secret === '' && username === '';
  if (isNone && urls.some((url) => url.startsWith('turn'))) {
    env.addIssue('TURN_URLS needs TURN_SECRET, or TURN_USERNAME and TURN_CREDENTIAL');
  }
  if (secret !== '') return { urls, credentials: { kind: 'secret', secret } };
  if (username !== '') return { urls, credentials: { kind: 'fixed', username, credential } };
  return { urls, credentials: { kind: 'none' } };
}
