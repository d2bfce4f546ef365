import type { AdmissionClass } from '@calls/api-contract/bus/created-call';
import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';
import type { Slots } from './slots.ts';

/** Shows whether calls are taken; returns what is to be told how long one had waited to be. */
export function countAdmissions(
  metrics: Metrics,
  slots: Slots,
): (admissionClass: AdmissionClass, waitMs: number) => void {
  metrics.gauge({
    name: 'admission_paused',
    help: '1 while this worker is overloaded and takes priority calls alone',
    collect: () => Number(slots.isPaused),
  });
  const waits = metrics.histogram({
    name: 'admission_wait_ms',
    help: 'From the creation of a call to its admission',
    labels: ['class'],
    buckets: [...LATENCY_BUCKETS_MS, 30_000, 60_000],
  });
  return (admissionClass, waitMs) => waits.observe({ class: admissionClass }, waitMs);
}
