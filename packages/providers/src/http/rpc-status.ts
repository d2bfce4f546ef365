import { ProviderError } from '@calls/engine-ports/provider-error';
import { refusalMessage } from './refusal.ts';

/** gRPC status codes, used by Google's and similar APIs. */
const NAMES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

const MAY_PASS = new Set<string | undefined>([
  'UNKNOWN',
  'DEADLINE_EXCEEDED',
  'RESOURCE_EXHAUSTED',
  'ABORTED',
  'INTERNAL',
  'UNAVAILABLE',
]);

/** The error for a gRPC status. */
export function rpcRefusal(
  provider: string,
  status: { code?: number | undefined; message?: string | undefined },
  confidential: readonly string[],
): ProviderError {
  const name = status.code === undefined ? undefined : NAMES[status.code];
  const said = refusalMessage(status.message ?? '', confidential);
  return new ProviderError(provider, 'refused', `${name ?? `status ${status.code ?? 'unknown'}`}: ${said}`, {
    retryable: MAY_PASS.has(name),
  });
}
