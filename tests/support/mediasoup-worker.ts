import { isComplete, workerPaths } from '../../scripts/setup/mediasoup-worker/paths.mjs';

/**
 * What services are told of mediasoup's worker: what set-up found, as `npm test` says; where Jest is run by hand, what is
 * kept for the user.
 */
export function mediasoupWorkerEnvironment(): Record<string, string> {
  const paths = workerPaths();
  const binary = process.env['MEDIASOUP_WORKER_BIN'] || (isComplete(paths) && paths.binary);
  if (binary) return { MEDIASOUP_WORKER_BIN: binary };
  return { WEBRTC_UNAVAILABLE: process.env['WEBRTC_UNAVAILABLE'] ?? 'npm run setup gets a mediasoup worker' };
}

export function mediasoupWorkerBinary(): string {
  const { MEDIASOUP_WORKER_BIN: binary, WEBRTC_UNAVAILABLE: reason } = mediasoupWorkerEnvironment();
  if (binary === undefined) throw new Error(`no mediasoup worker: ${reason}`);
  return binary;
}
