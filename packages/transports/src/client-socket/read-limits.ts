import type { AllowanceLimits } from '@calls/foundation/allowance';

/**
 * Limits of text from one client, so that it cannot block the calls of others: a burst of 8 MiB, then 1 MiB per second.
 * Audio beyond real time is dropped unparsed and costs little.
 */
export const READ_LIMITS: AllowanceLimits = { burst: 8 * 1024 * 1024, perSecond: 1024 * 1024 };

/** The cost of parsing a message, plus a fixed cost. */
export function textCost({ byteLength }: Buffer): number {
  return 1024 + byteLength;
}

export function audioCost({ byteLength }: Buffer): number {
  return 64 + byteLength / 16;
}
