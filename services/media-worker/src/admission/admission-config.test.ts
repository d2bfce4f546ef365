import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { readAdmissionConfig } from './admission-config.ts';

describe('readAdmissionConfig', () => {
  it('leaves the capacity to the measurement unless it is configured', () => {
    expect(readAdmissionConfig(new EnvReader({}))).toEqual({
      capacity: null,
      workersHere: 1,
      thresholds: { standardPercent: 90, lowestCostPercent: 60 },
      overload: { delayMs: 60, busyShare: 0.85, sttLatenessMs: 1000 },
    });
    const given = {
      MEDIA_CAPACITY: '20',
      MEDIA_WORKERS: '3',
      ADMISSION_STANDARD_PERCENT: '80',
      ADMISSION_LOWEST_COST_PERCENT: '50',
      OVERLOAD_DELAY_MS: '100',
      OVERLOAD_BUSY_PERCENT: '80',
    };
    expect(readAdmissionConfig(new EnvReader(given))).toEqual({
      capacity: 20,
      workersHere: 3,
      thresholds: { standardPercent: 80, lowestCostPercent: 50 },
      overload: { delayMs: 100, busyShare: 0.8, sttLatenessMs: 1000 },
    });
  });

  it('disables the overload guard when the delay limit is 0', () => {
    expect(readAdmissionConfig(new EnvReader({ OVERLOAD_DELAY_MS: '0' })).overload).toBeNull();
  });

  it('reports every invalid variable', () => {
    const env = new EnvReader({ MEDIA_CAPACITY: '0', ADMISSION_STANDARD_PERCENT: '101' });
    readAdmissionConfig(env);
    expect(() => env.finish()).toThrow(/MEDIA_CAPACITY[^]*ADMISSION_STANDARD_PERCENT/u);
  });
});
