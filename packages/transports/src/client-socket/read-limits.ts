import type { AllowanceLimits } from '@calls/foundation/allowance';

/**
 * What is read of one client, so that it can't keep the process from the calls of others: 8 MiB of text at once, then 1 MiB a
 * second. Audio beyond real time is dropped unread, and costs next to nothing.
 */
export const READ_LIMITS: AllowanceLimits = { burst: 8 * 1024 * 1024, perSecond: 1024 * 1024 };

/** What is parsed, and what it takes besides. */
export function textCost({ byteLength }: Buffer): number {
  return 1024 + byteLength;
}

export function audioCost({ byteLength }: Buffer): number {
  return 64 + byteLength / 16;
}
