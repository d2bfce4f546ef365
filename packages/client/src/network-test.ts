import type { SignalReady, TransportParameters } from '@calls/api-contract/signalling/signal-messages';
import { Device } from 'mediasoup-client';
import { toCallError, type CallError } from './call-error.ts';
import { checkBrowser } from './check-browser.ts';
import { createMedia, offersTurn, openSocket } from './connection/connection.ts';
import { firstSocket } from './connection/first-socket.ts';
import { connectionUrl } from './connection/join-url.ts';
import type { MediaLink } from './media/media-link.ts';
import { ATTEMPT_TIMES } from './connection/reconnect-policy.ts';
import { SignallingSocket } from './connection/signalling-socket.ts';
import { Unreachable } from './connection/unreachable.ts';

/** How long each path may take to connect. */
const CONNECT_LIMIT_MS = 6000;
/** Number of connectivity checks in the mean round-trip time. */
const CHECKS = 3;
const CHECKS_LIMIT_MS = 2000;
const POLL_MS = 50;
/** A longer round trip is a noticeable pause before each response. */
const LONG_ROUND_TRIP_MS = 300;

/** One way for audio between the page and the service. */
export interface NetworkPath {
  readonly isReachable: boolean;
  /** Mean of ICE connectivity checks; null if not reachable, or if the browser does not measure it. */
  readonly roundTripMs: number | null;
  /** Why it is not reachable; null if it is. */
  readonly problem: string | null;
}

export interface NetworkPaths {
  readonly udp: NetworkPath;
  readonly tcp: NetworkPath;
  /** Null if the service has no TURN server. */
  readonly turn: NetworkPath | null;
}

export interface NetworkVerdict {
  /**
   * `good`: audio passes over UDP with a short round trip. `limited`: calls work with the limits in `reasons`.
   * `blocked`: audio does not pass.
   */
  readonly verdict: 'good' | 'limited' | 'blocked';
  /** Sentences for the user; empty if the verdict is `good`. */
  readonly reasons: readonly string[];
}

export type NetworkTestResult = NetworkPaths & NetworkVerdict;

const NOT_OFFERED: NetworkPath = {
  isReachable: false,
  roundTripMs: null,
  problem: 'the service does not offer it',
};

/**
 * Tests whether audio can pass between this page and the service: directly over UDP, directly over TCP, and through
 * TURN. Measures no packet loss and no bandwidth.
 *
 * `joinUrl`: of a call that was not joined yet. The test does not join it, so `joinCall` can follow. Takes up to 8 s.
 * Rejects with a CallError if the service cannot be reached at all or refuses the URL.
 */
export async function testNetwork(
  joinUrl: string,
  options: { signal?: AbortSignal } = {},
): Promise<NetworkTestResult> {
  checkBrowser();
  const url = connectionUrl(joinUrl);
  const unreachable = new Unreachable(url);
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
  const failures: CallError[] = [];
  const test = async (path: keyof NetworkPaths): Promise<NetworkPath | null> => {
    try {
      return await testPath(url, path, signal);
    } catch (thrown) {
      failures.push(toCallError(thrown, 'signalling_failed'));
      failed.abort();
      return null;
    }
  };
  try {
    const [udp, tcp, turn] = await Promise.all([test('udp'), test('tcp'), test('turn')]);
    options.signal?.throwIfAborted();
    const [failure] = failures;
    if (failure) {
      throw failure.code === 'connection_failed'
        ? await unreachable.why(options.signal ?? new AbortController().signal)
        : failure;
    }
    const paths = { udp: udp ?? NOT_OFFERED, tcp: tcp ?? NOT_OFFERED, turn };
    return { ...paths, ...judge(paths) };
  } finally {
    unreachable.close();
  }
}

/** @internal */
export function judge({ udp, tcp, turn }: NetworkPaths): NetworkVerdict {
  const reachable = [udp, tcp, turn].filter((path) => path?.isReachable);
  if (reachable.length === 0) {
    const reason = 'Audio cannot reach the service: a firewall blocks UDP, TCP and TURN.';
    return { verdict: 'blocked', reasons: [reason] };
  }
  const reasons: string[] = [];
  if (!udp.isReachable && tcp.isReachable) {
    reasons.push('UDP is blocked. Audio over TCP stutters when packets are lost.');
  } else if (!udp.isReachable) {
    reasons.push('Direct connections are blocked. Audio takes a detour through a TURN server.');
  }
  const roundTripMs = reachable[0]?.roundTripMs ?? 0;
  if (roundTripMs > LONG_ROUND_TRIP_MS) {
    reasons.push(`The round trip takes ${Math.round(roundTripMs)} ms, so responses begin later.`);
  }
  return { verdict: reasons.length === 0 ? 'good' : 'limited', reasons };
}

/** Null if the service does not offer the path. Rejects if no signalling connection can be opened. */
async function testPath(
  url: string,
  path: keyof NetworkPaths,
  signal: AbortSignal,
): Promise<NetworkPath | null> {
  signal.throwIfAborted();
  const socket = await firstSocket({
    open: () => new SignallingSocket(openSocket(url), () => undefined),
    times: ATTEMPT_TIMES.joining,
    signal,
    onAbort: (opened) => opened.breakOff(),
  });
  let media: MediaLink | null = null;
  try {
    const ready = only(path, await socket.ready);
    if (!ready) return null;
    media = await createMedia(socket, ready, {
      createDevice: () => new Device(),
      iceTransportPolicy: path === 'turn' ? 'relay' : 'all',
      onMessage: () => undefined,
    });
    return await measure(media);
  } finally {
    media?.close();
    socket.breakOff();
    await socket.closed;
  }
}

/** What the service offers, reduced to this path; null if nothing remains. */
function only(path: keyof NetworkPaths, ready: SignalReady): SignalReady | null {
  if (path === 'turn') return offersTurn(ready) ? ready : null;
  const reduce = (transport: TransportParameters): TransportParameters => ({
    ...transport,
    iceCandidates: transport.iceCandidates.filter(({ protocol }) => protocol === path),
  });
  const receiveTransport = reduce(ready.receiveTransport);
  if (receiveTransport.iceCandidates.length === 0) return null;
  return { ...ready, iceServers: [], sendTransport: reduce(ready.sendTransport), receiveTransport };
}

async function measure(media: MediaLink): Promise<NetworkPath> {
  const connected = media.open().then(() => media.canReceiveData());
  const timeout = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(() => timeout.resolve('timeout'), CONNECT_LIMIT_MS);
  try {
    if ((await Promise.race([connected, timeout.promise])) === 'timeout') {
      connected.catch(() => undefined);
      const problem = `no response within ${CONNECT_LIMIT_MS / 1000} s: probably a firewall blocks it`;
      return { isReachable: false, roundTripMs: null, problem };
    }
    return { isReachable: true, roundTripMs: await roundTripMs(media), problem: null };
  } finally {
    clearTimeout(timer);
  }
}

async function roundTripMs(media: MediaLink): Promise<number | null> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const { receive } = await media.getStats();
    const pairs: RTCIceCandidatePairStats[] = [];
    receive.forEach((report: RTCStats) => {
      if (report.type === 'candidate-pair') pairs.push(report as RTCIceCandidatePairStats);
    });
    const { totalRoundTripTime, responsesReceived = 0 } = pairs.find(({ nominated }) => nominated) ?? {};
    const isMeasured = totalRoundTripTime !== undefined && responsesReceived > 0;
    if ((isMeasured && responsesReceived >= CHECKS) || waitedMs >= CHECKS_LIMIT_MS) {
      return isMeasured ? (totalRoundTripTime * 1000) / responsesReceived : null;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
