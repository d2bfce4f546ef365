import type { EnvReader } from '@calls/foundation/env-reader';
import type { TurnConfig } from '@calls/transports/webrtc/ice-servers';
import type { WebRtcConfig } from '@calls/transports/webrtc/web-rtc';
import { readMachine } from '../capacity/machine.ts';

/** `unavailable`: why this worker does without WebRTC. */
export type RtcConfig = { kind: 'webRtc'; webRtc: WebRtcConfig } | { kind: 'unavailable'; why: string };

const MAX_WORKERS = 8;
const URL_FORM = /^(?:stun|stuns|turn|turns):[^\s,/?]+(?:\?transport=(?:udp|tcp))?$/u;
const ADDRESS_FORM = /^[\w.:%-]+$/u;

/** Faults are collected in `env`; its owner calls `finish`. */
export function readRtcConfig(env: EnvReader, workersHere: number): RtcConfig {
  const cores = Math.floor(readMachine().cores / workersHere);
  const workers = env.integer('RTC_WORKERS', {
    fallback: Math.min(Math.max(1, cores), MAX_WORKERS),
    min: 1,
    max: 64,
  });
  const port = env.integer('RTC_PORT', { fallback: 10_000, min: 0, max: 65_535 });
  if (port + workers - 1 > 65_535) env.fault('RTC_PORT leaves no ports for RTC_WORKERS workers');
  const webRtc: WebRtcConfig = {
    workerBin: env.string('MEDIASOUP_WORKER_BIN', ''),
    port,
    workers,
    addresses: {
      listen: readAddress('RTC_LISTEN_ADDRESS', env.string('RTC_LISTEN_ADDRESS', ''), env),
      announced: readAddress('RTC_ANNOUNCED_ADDRESS', env.string('RTC_ANNOUNCED_ADDRESS', ''), env),
    },
    turn: readTurnConfig(env),
  };
  if (webRtc.workerBin !== '') return { kind: 'webRtc', webRtc };
  const why = env.string(
    'WEBRTC_UNAVAILABLE',
    'mediasoup’s worker program is not there: MEDIASOUP_WORKER_BIN is not set',
  );
  return { kind: 'unavailable', why };
}

function readAddress(name: string, address: string, env: EnvReader): string {
  if (address !== '' && !ADDRESS_FORM.test(address))
    env.fault(`${name} must be an address, not "${address}"`);
  return address;
}

function readTurnConfig(env: EnvReader): TurnConfig {
  const urls = env
    .string('TURN_URLS', '')
    .split(',')
    .map((url) => url.trim())
    .filter(Boolean);
  if (!urls.every((url) => URL_FORM.test(url))) {
    env.fault('TURN_URLS must be stun:, turn: or turns: addresses with commas between');
  }
  const username = env.string('TURN_USERNAME', '');
  const credential = env.string('TURN_CREDENTIAL', '');
  const secret = env.string('TURN_SECRET', '');
  if ((username === '') !== (credential === '')) {
    env.fault('TURN_USERNAME and TURN_CREDENTIAL are given together or not at all');
  }
  if (secret !== '' && username !== '')
    env.fault('TURN_SECRET is given instead of TURN_USERNAME, not besides it');
  const isNone = secret === '' && username === '';
  if (isNone && urls.some((url) => url.startsWith('turn'))) {
    env.fault('TURN_URLS needs TURN_SECRET, or TURN_USERNAME and TURN_CREDENTIAL');
  }
  if (secret !== '') return { urls, credentials: { kind: 'secret', secret } };
  if (username !== '') return { urls, credentials: { kind: 'fixed', username, credential } };
  return { urls, credentials: { kind: 'none' } };
}
