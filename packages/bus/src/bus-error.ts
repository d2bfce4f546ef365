import { AppError } from '@calls/foundation/errors';
import { ErrorCode, NatsError } from 'nats';

/** The server can't be reached, or refuses for now. What was being sent may or may not have arrived. */
export class BusUnavailableError extends AppError {
  constructor(operation: string, cause: unknown) {
    super('bus_unavailable', `${operation}: the message bus is not available`, { retryable: true, cause });
  }
}

/** There is no control-plane, or none that listens yet. */
export class NoRespondersError extends AppError {
  constructor(question: string) {
    super('no_control_plane', `${question}: no control-plane is there to answer`, { retryable: true });
  }
}

/** The message will never fit the server's limit. */
export class MessageTooLargeError extends AppError {
  constructor(operation: string, sizeBytes: number) {
    super('message_too_large', `${operation}: ${sizeBytes} bytes are more than the message bus takes`);
  }
}

/** Somebody else has appended to the call's log. */
export class CallLogMovedError extends AppError {
  constructor(callId: string) {
    super('call_log_moved', `the log of call ${callId} ends with another event than the one named`);
  }
}

/** What the client library threw, in our terms. */
export function asBusError(operation: string, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new BusUnavailableError(operation, thrown);
}

const WRONG_LAST_SEQUENCE = 10_071;

/** A compare-and-set that lost. */
export function isRevisionConflict(thrown: unknown): boolean {
  return thrown instanceof NatsError && thrown.api_error?.err_code === WRONG_LAST_SEQUENCE;
}

export function isTooLarge(thrown: unknown): boolean {
  return thrown instanceof NatsError && thrown.code === ErrorCode.MaxPayloadExceeded.valueOf();
}

const STREAM_NAME_IN_USE = 10_058;
const CONSUMER_ALREADY_EXISTS = 10_148;

/** Another process created the same thing, with another configuration, a moment ago. */
export function isAlreadyThere(thrown: unknown): boolean {
  if (!(thrown instanceof NatsError)) return false;
  const code = thrown.api_error?.err_code;
  return code === STREAM_NAME_IN_USE || code === CONSUMER_ALREADY_EXISTS;
}

export function isNotFound(thrown: unknown): boolean {
  return thrown instanceof NatsError && (thrown.api_error?.code === 404 || thrown.code === '404');
}
