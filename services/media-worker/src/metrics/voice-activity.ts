import type { Metrics } from '@calls/telemetry/metrics';

/** Returns a function that records each batch of the model. */
export function observeVoiceActivity(metrics: Metrics): (windows: number) => void {
  const batches = metrics.histogram({
    name: 'vad_batch_windows',
    help: 'Audio windows in one run of the voice activity model',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  });
  return (windows) => batches.observe(windows);
}
