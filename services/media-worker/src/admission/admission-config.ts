import type { EnvReader } from '@calls/foundation/env-reader';
import type { OverloadLimits } from './overload-guard.ts';
import { DEFAULT_THRESHOLDS, type AdmissionThresholds } from './slots.ts';

/** A caller waits for a response by so much longer than for the engines' work alone. */
const STT_LATENESS_MS = 1000;

export interface AdmissionConfig {
  /** Calls this worker holds at most, joined or waiting for their client; null: as many as are measured to fit. */
  capacity: number | null;
  /** Media workers that share this machine, this one included. */
  workersHere: number;
  thresholds: AdmissionThresholds;
  /** Null: calls are taken however late this worker is. */
  overload: OverloadLimits | null;
}

/** Faults are collected in `env`; its owner calls `finish`. */
export function readAdmissionConfig(env: EnvReader): AdmissionConfig {
  const isGiven = env.optional('MEDIA_CAPACITY') !== undefined;
  const delayMs = env.integer('OVERLOAD_DELAY_MS', { fallback: 60, min: 0, max: 10_000 });
  const busyPercent = env.integer('OVERLOAD_BUSY_PERCENT', { fallback: 85, min: 1, max: 100 });
  const { standardPercent, lowestCostPercent } = DEFAULT_THRESHOLDS;
  return {
    capacity: isGiven ? env.integer('MEDIA_CAPACITY', { min: 1, max: 10_000 }) : null,
    workersHere: env.integer('MEDIA_WORKERS', { fallback: 1, min: 1, max: 1000 }),
    thresholds: {
      standardPercent: env.integer('ADMISSION_STANDARD_PERCENT', {
        fallback: standardPercent,
        min: 1,
        max: 100,
      }),
      lowestCostPercent: env.integer('ADMISSION_LOWEST_COST_PERCENT', {
        fallback: lowestCostPercent,
        min: 1,
        max: 100,
      }),
    },
    overload: delayMs === 0 ? null : { delayMs, busyPart: busyPercent / 100, sttLatenessMs: STT_LATENESS_MS },
  };
}
