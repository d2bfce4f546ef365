import type { AdmissionClass } from '@calls/api-contract/bus/created-call';
import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';
import type { Slots } from './slots.ts';

/** Registers admission metrics; the returned function records how long a call waited for its admission. */
export function countAdmissions(
  metrics: Metrics,
  slots: Slots,
): (admissionClass: AdmissionClass, waitMs: number) => void {
  metrics.gauge({
    name: 'admission_paused',
    help: '1 while the worker is overloaded and accepts priority calls only',
    collect: () => Number(slots.isPaused),
  });
  const waits = metrics.histogram({
    name: 'admission_wait_ms',
    help: 'Time from the creation of a call to its admission',
    labels: ['class'],
    buckets: [...LATENCY_BUCKETS_MS, 30_000, 60_000],
  });
  return (admissionClass, waitMs) => waits.observe({ class: admissionClass }, waitMs);
}
