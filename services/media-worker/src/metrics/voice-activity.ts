import type { Metrics } from '@calls/telemetry/metrics';

/** To be told of each batch that the model ran. */
export function observeVoiceActivity(metrics: Metrics): (windows: number) => void {
  const batches = metrics.histogram({
    name: 'vad_batch_windows',
    help: 'Windows of audio that one run of the model for voice activity was for',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  });
  return (windows) => batches.observe(windows);
}
