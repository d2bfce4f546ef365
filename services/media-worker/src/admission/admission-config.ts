import type { EnvReader } from '@calls/foundation/env-reader';
import { SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { integer } from '@calls/foundation/variable';
import type { OverloadLimits } from './overload-guard.ts';
import { DEFAULT_THRESHOLDS, type AdmissionThresholds } from './slots.ts';

/** Additional delay of a response that callers tolerate. */
const STT_LATENESS_MS = 1000;

export interface AdmissionConfig {
  /** Maximum number of calls on this worker, joined or waiting for their client; null measures it. */
  capacity: number | null;
  /** Number of media-workers on this machine, including this one. */
  workersHere: number;
  thresholds: AdmissionThresholds;
  /** Limits above which the worker rejects calls. Null: it accepts calls at any load. */
  overload: OverloadLimits | null;
}

const percent = (fallback: number, meaning: string) =>
  integer({ default: fallback, min: 1, max: 100, meaning });

const VARIABLES = {
  MEDIA_CAPACITY: integer({
    unset: 'measured',
    min: 1,
    max: 10_000,
    meaning: 'Maximum number of calls of a worker, joined or waiting for a client.',
  }),
  MEDIA_WORKERS: SHARED_VARIABLES.MEDIA_WORKERS,
  ADMISSION_STANDARD_PERCENT: percent(
    DEFAULT_THRESHOLDS.standardPercent,
    'Share of the capacity up to which standard calls are admitted.',
  ),
  ADMISSION_LOWEST_COST_PERCENT: percent(
    DEFAULT_THRESHOLDS.lowestCostPercent,
    'Share of the capacity up to which `lowest_cost` calls are admitted.',
  ),
  OVERLOAD_DELAY_MS: integer({
    default: 60,
    min: 0,
    max: 10_000,
    meaning: 'Delay of the event loop (p99 of a second) that counts as overload.',
  }),
  OVERLOAD_BUSY_PERCENT: percent(85, 'Utilization of the event loop that counts as overload.'),
};

/** Collects issues in `env`; the caller must call `env.finish()`. */
export function readAdmissionConfig(env: EnvReader): AdmissionConfig {
  const values = env.read(VARIABLES);
  const { OVERLOAD_DELAY_MS: delayMs, OVERLOAD_BUSY_PERCENT: busyPercent } = values;
  return {
    capacity: values.MEDIA_CAPACITY,
    workersHere: values.MEDIA_WORKERS,
    thresholds: {
      standardPercent: values.ADMISSION_STANDARD_PERCENT,
      lowestCostPercent: values.ADMISSION_LOWEST_COST_PERCENT,
    },
    overload:
      delayMs === 0 ? null : { delayMs, busyShare: busyPercent / 100, sttLatenessMs: STT_LATENESS_MS },
  };
}
