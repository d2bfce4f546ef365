import { isComplete, workerPaths } from '../../scripts/setup/mediasoup-worker/paths.mjs';

/** The worker that set-up found, as `npm test` says; where Jest is run by hand, the one that is kept for the user. */
export function mediasoupWorkerBinary(): string {
  const told = process.env['MEDIASOUP_WORKER_BIN'];
  if (told) return told;
  const paths = workerPaths();
  if (isComplete(paths)) return paths.binary;
  throw new Error(process.env['WEBRTC_UNAVAILABLE'] ?? 'no mediasoup worker here: npm run setup gets one');
}
