import { expect } from '@jest/globals';
import { ProviderError, type ProviderErrorKind } from '@calls/engine-ports/provider-error';

/** A way to make an implementation fail, and the kind of error that it must report. */
export interface FailureCase<T> {
  name: string;
  kind: ProviderErrorKind;
  /** Prepares the implementation so that its next request fails that way. */
  create: () => Promise<T>;
}

export interface ConformanceOptions<T> {
  /** A working implementation. Called once per test; may return the same one. */
  create: () => Promise<T>;
  /** Resolves once aborted work has released its resources (requests, processes, slots). */
  allFreed?: () => Promise<void>;
  failures?: readonly FailureCase<T>[];
}

/** Matches a ProviderError of this kind, and the code, name and retryability that follow from it. */
export async function expectFailure(work: Promise<unknown>, kind: ProviderErrorKind): Promise<void> {
  const thrown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(ProviderError);
  const error = thrown as ProviderError;
  expect({ kind: error.kind, message: error.message }).toEqual({ kind, message: error.message });
  expect(error.provider).not.toBe('');
}
