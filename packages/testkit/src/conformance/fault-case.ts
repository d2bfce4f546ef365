import { expect } from '@jest/globals';
import { ProviderError, type ProviderFault } from '@calls/engine-ports/provider-error';

/** A way to make an implementation fail, and the fault that it must report. */
export interface FaultCase<T> {
  name: string;
  fault: ProviderFault;
  /** Prepares the implementation so that its next request fails that way. */
  create: () => Promise<T>;
}

export interface ConformanceOptions<T> {
  /** A working implementation. Called once per test; may return the same one. */
  create: () => Promise<T>;
  /** Resolves once aborted work has released its resources (requests, processes, slots). */
  allFreed?: () => Promise<void>;
  faults?: readonly FaultCase<T>[];
}

/** Matches a ProviderError with this fault, and the code, name and retryability that follow from it. */
export async function expectFault(work: Promise<unknown>, fault: ProviderFault): Promise<void> {
  const thrown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(ProviderError);
  const error = thrown as ProviderError;
  expect({ fault: error.fault, message: error.message }).toEqual({ fault, message: error.message });
  expect(error.provider).not.toBe('');
}
