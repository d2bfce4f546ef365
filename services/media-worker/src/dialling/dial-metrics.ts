import type { TelephonyDialect } from '@calls/api-contract/vendors/telephony-vendors';
import type { Metrics } from '@calls/telemetry/metrics';
import type { DialOutcome } from './dialling.ts';

/** Counts phone calls that a control-plane was asked to dial. */
export function countDials(metrics: Metrics): (outcome: DialOutcome, by: TelephonyDialect) => void {
  const dials = metrics.counter<'outcome' | 'by'>({
    name: 'dials_total',
    help: 'Dial requests to control-planes by outcome and provider',
    labels: ['outcome', 'by'],
  });
  return (outcome, by) => dials.inc({ outcome, by });
}
