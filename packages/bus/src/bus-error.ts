import { AppError } from '@calls/foundation/errors';
import { ErrorCode, NatsError } from 'nats';

/** The server is unreachable or rejects the operation for now. A message that was being sent may have arrived. */
export class BusUnavailableError extends AppError {
  constructor(operation: string, cause: unknown) {
    super('bus_unavailable', `${operation}: the message bus is not available`, { retryable: true, cause });
  }
}

/** No control-plane is subscribed to the subject. */
export class NoRespondersError extends AppError {
  constructor(request: string) {
    super('no_control_plane', `${request}: no control-plane is available`, { retryable: true });
  }
}

/** The message exceeds the server's size limit. */
export class MessageTooLargeError extends AppError {
  constructor(operation: string, sizeBytes: number) {
    super('message_too_large', `${operation}: ${sizeBytes} bytes exceed the size limit of the message bus`);
  }
}

/** Another writer has appended to the call log since the expected position. */
export class CallLogMovedError extends AppError {
  constructor(callId: string) {
    super('call_log_moved', `the log of call ${callId} does not end at the expected entry`);
  }
}

/** Converts an error of the NATS client to an AppError. */
export function asBusError(operation: string, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new BusUnavailableError(operation, thrown);
}

const WRONG_LAST_SEQUENCE = 10_071;

/** Whether a compare-and-set failed because the revision has changed. */
export function isRevisionConflict(thrown: unknown): boolean {
  return thrown instanceof NatsError && thrown.api_error?.err_code === WRONG_LAST_SEQUENCE;
}

/** Whether no process is subscribed to the subject of a request. */
export function isNoResponders(thrown: unknown): boolean {
  return thrown instanceof NatsError && thrown.code === ErrorCode.NoResponders.valueOf();
}

/** Whether the server or the recipient of a request did not respond in time. */
export function isTimeout(thrown: unknown): boolean {
  return thrown instanceof NatsError && thrown.code === ErrorCode.Timeout.valueOf();
}

export function isTooLarge(thrown: unknown): boolean {
  return thrown instanceof NatsError && thrown.code === ErrorCode.MaxPayloadExceeded.valueOf();
}

const STREAM_NAME_IN_USE = 10_058;
const CONSUMER_ALREADY_EXISTS = 10_148;

/** Whether another process has just created the same stream or consumer with a different configuration. */
export function isAlreadyCreated(thrown: unknown): boolean {
  if (!(thrown instanceof NatsError)) return false;
  const code = thrown.api_error?.err_code;
  return code === STREAM_NAME_IN_USE || code === CONSUMER_ALREADY_EXISTS;
}

export function isNotFound(thrown: unknown): boolean {
  return thrown instanceof NatsError && (thrown.api_error?.code === 404 || thrown.code === '404');
}

export const NO_SUITABLE_PEERS = 10_005;
const INSUFFICIENT_RESOURCES = 10_023;
const REPLICAS_NOT_SUPPORTED = 10_074;

/** Whether the cluster does not have enough running servers for the replicas of a stream. */
export function isPlacementFailure(thrown: unknown): boolean {
  if (!(thrown instanceof NatsError)) return false;
  const code = thrown.api_error?.err_code;
  return code === NO_SUITABLE_PEERS || code === INSUFFICIENT_RESOURCES || code === REPLICAS_NOT_SUPPORTED;
}
