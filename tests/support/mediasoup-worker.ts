import { isComplete, workerPaths } from '../../scripts/setup/mediasoup-worker/paths.mjs';

/** Environment variables with the path of the installed mediasoup worker, or the reason why there is none. */
export function mediasoupWorkerEnvironment(): Record<string, string> {
  const paths = workerPaths();
  const binary = process.env['MEDIASOUP_WORKER_BIN'] || (isComplete(paths) && paths.binary);
  if (binary) return { MEDIASOUP_WORKER_BIN: binary };
  return { WEBRTC_UNAVAILABLE: process.env['WEBRTC_UNAVAILABLE'] ?? 'npm run setup gets a mediasoup worker' };
}

export function mediasoupWorkerBinary(): string {
  const { MEDIASOUP_WORKER_BIN: binary, WEBRTC_UNAVAILABLE: reason } = mediasoupWorkerEnvironment();
  if (binary === undefined) throw new Error(`the mediasoup worker is not installed: ${reason}`);
  return binary;
}
