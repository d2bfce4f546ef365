import type { CallCommand, CallCommandReply } from '@calls/api-contract/bus/call-commands';
import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { AdmissionClass, CreatedCall } from '@calls/api-contract/bus/created-call';
import type { RequestDefinition } from '@calls/api-contract/bus/request-reply';
import type { Backlog } from './backlog.ts';
import type { CommandHandler } from './call-commands.ts';
import type { StoredCallLogEntry } from './call-log.ts';
import type { LeaseStore } from './leases.ts';
import type { WorkerDirectory } from './worker-directory.ts';

/** A created call taken from the work queue. It is redelivered after 10 s unless it is acknowledged or released. */
export interface CreatedCallDelivery {
  readonly call: CreatedCall;
  /** Removes the call from the queue; resolves when the server has confirmed. */
  ack(): Promise<void>;
  /** Returns the call to the queue after `delayMs`. */
  release(delayMs: number): void;
}

export interface ConsumeOptions {
  /** Maximum number of unacknowledged entries. */
  maxInFlight: number;
  /** Maximum number of calls whose entries are handled concurrently. */
  concurrency: number;
}

/**
 * The message bus. Messages carry the current trace context; handlers run in it. While the bus is unavailable, methods that
 * send reject with a BusUnavailableError within their time limit.
 */
export interface Bus extends AsyncDisposable {
  readonly connected: boolean;
  /** Time since the connection was established or re-established; 0 while disconnected. */
  readonly connectedForMs: number;
  readonly leases: LeaseStore;
  readonly workers: WorkerDirectory;
  /** Resolves when stored. The same `dedupId` within two minutes is stored once. */
  publishCreatedCall(call: CreatedCall, dedupId: string): Promise<void>;
  /**
   * Takes the oldest waiting call of the class. Null if none arrives within `waitMs` (0: checks once), if the bus is
   * unavailable, or on abort unless a delivery was already under way. Malformed calls are removed and logged.
   */
  takeCreatedCall(
    admissionClass: AdmissionClass,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<CreatedCallDelivery | null>;
  /**
   * Appends an entry to the call log; resolves with its position when it is stored. `after`: the expected position of the last
   * entry (0: empty log); rejects with a CallLogMovedError if it differs. Without `after` the append is unconditional.
   * Entries with the same (callId, epoch, seq) within two minutes are stored once.
   */
  appendToCallLog(event: CallLogEntry, after?: number): Promise<number>;
  /** The last entry of the call log; null if the log is empty. */
  lastCallLogEntry(callId: string): Promise<StoredCallLogEntry | null>;
  /** All entries of the call log, oldest first. */
  readCallLog(callId: string): Promise<StoredCallLogEntry[]>;
  /**
   * Delivers every stored entry to `handle` at least once, load-balanced over all consumers with the same `durable` name.
   * An entry is acknowledged after `handle` resolves. If it throws, the entry is retried with growing delays while later
   * entries of that call wait; after some attempts the server redelivers it. Disposal waits for running handlers, which
   * run in the trace that the entry was published in.
   */
  consumeCallLogs(
    durable: string,
    handle: (event: CallLogEntry) => Promise<void>,
    options: ConsumeOptions,
  ): Promise<AsyncDisposable>;
  /** Queue lengths: created calls that wait for a worker, and unhandled entries of the consumer `durable`. */
  backlog(durable: string): Promise<Backlog>;
  /** The reply of the worker that runs the call; null if none does. Rejects if no reply arrives within the limit (2 s). */
  sendCallCommand(callId: string, command: CallCommand, limitMs?: number): Promise<CallCommandReply | null>;
  /**
   * Whether a worker serves the call now. A worker that doesn't reply within a second (stopped, paused or disconnected)
   * doesn't count; if it comes back, it finds that another worker owns the call. Rejects if the bus is unavailable.
   */
  isServed(callId: string): Promise<boolean>;
  /** Responds to commands for a call of this process until disposed. If `handle` returns null, other subscribers respond. */
  serveCallCommands(callId: string, handle: CommandHandler): Disposable;
  /**
   * Sends a request to any control-plane and resolves with its reply; retryable errors are retried once. Rejects with the
   * AppError of the handler, with a retryable one if no control-plane responds, or with the signal's reason on abort.
   */
  request<Question, Answer>(
    exchange: RequestDefinition<Question, Answer>,
    question: Question,
    signal: AbortSignal,
  ): Promise<Answer>;
  /**
   * Responds to a share of the requests until disposed; disposal waits for running handlers. An AppError that `handle` throws
   * is sent to the requester.
   */
  respond<Question, Answer>(
    exchange: RequestDefinition<Question, Answer>,
    handle: (question: Question) => Promise<Answer>,
  ): AsyncDisposable;
  /** Resolves if the server responds to a round trip, rejects otherwise. */
  ping(): Promise<void>;
}
