import type { CallCommand, CallCommandReply } from '@calls/api-contract/bus/call-commands';
import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { AdmissionClass, CreatedCall } from '@calls/api-contract/bus/created-call';
import type { RequestDefinition } from '@calls/api-contract/bus/request-reply';
import type { Backlog } from './backlog.ts';
import type { CommandHandler } from './call-commands.ts';
import type { StoredCallLogEntry } from './call-log.ts';
import type { LeaseStore } from './leases.ts';
import type { WorkerDirectory } from './worker-directory.ts';

/** A created call taken from the work queue. Neither acknowledged nor released it is delivered again after 10 s. */
export interface CreatedCallDelivery {
  readonly call: CreatedCall;
  /** The call is ours for good; resolves when the server has noted it. */
  ack(): Promise<void>;
  /** Puts the call back for anyone, after `delayMs`. */
  release(delayMs: number): void;
}

export interface ConsumeOptions {
  /** Events taken from the server and not yet acknowledged, at most. */
  maxInFlight: number;
  /** Calls whose events are handled at the same time, at most. */
  concurrency: number;
}

/**
 * The message bus. What is sent carries the current trace, and is handled in it where it arrives. Every method that sends
 * rejects with a BusUnavailableError within its time limit while it can't.
 */
export interface Bus extends AsyncDisposable {
  readonly connected: boolean;
  /** Since the connection was made or came back; 0 while it is lost. */
  readonly connectedForMs: number;
  readonly leases: LeaseStore;
  readonly workers: WorkerDirectory;
  /** Resolves when stored. The same `dedupId` within two minutes is stored once. */
  publishCreatedCall(call: CreatedCall, dedupId: string): Promise<void>;
  /**
   * The oldest waiting call of the class, or null after `waitMs` (0: only what waits now) or on abort, unless one was on
   * its way. Null after
   * `waitMs` also while the bus is away. What doesn't fit the schema is removed and logged.
   */
  takeCreatedCall(
    admissionClass: AdmissionClass,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<CreatedCallDelivery | null>;
  /**
   * Appends to the call's log: resolves with the event's position when it is stored. `after`: the position of the event that
   * the log must end with, 0 for an empty one; a CallLogMovedError where it doesn't. Without it the event is appended whatever
   * is there. The same (callId, epoch, seq) within two minutes is stored once.
   */
  appendToCallLog(event: CallLogEntry, after?: number): Promise<number>;
  /** The end of the call's log; null for an empty one. */
  lastCallLogEntry(callId: string): Promise<StoredCallLogEntry | null>;
  /** The call's log from its beginning. */
  readCallLog(callId: string): Promise<StoredCallLogEntry[]>;
  /**
   * Hands every stored event to `handle`, at least once, shared among all consumers with the same `durable` name.
   * An event is acknowledged after `handle` resolves. When it throws, the same event is tried again with growing pauses,
   * later events of that call waiting behind it; after some attempts it goes back to the server for later. Disposal
   * waits for the handlers that run. They run in the trace that the event was published in.
   */
  consumeCallLogs(
    durable: string,
    handle: (event: CallLogEntry) => Promise<void>,
    options: ConsumeOptions,
  ): Promise<AsyncDisposable>;
  /** What waits on the bus: created calls, and events for the consumers of that name. */
  backlog(durable: string): Promise<Backlog>;
  /** What the worker that holds the call answers; null where none does. Rejects where no answer comes within the limit (2 s). */
  sendCallCommand(callId: string, command: CallCommand, limitMs?: number): Promise<CallCommandReply | null>;
  /**
   * Whether a worker serves the call now. One that is gone doesn't; nor does one that is paused or cut off and gives no answer
   * within a second: should it come back, it finds the call with another. Rejects where the bus is away.
   */
  isServed(callId: string): Promise<boolean>;
  /** Answers the commands to a call that this process holds, until it is disposed of; those answered by null are left to others. */
  serveCallCommands(callId: string, handle: CommandHandler): Disposable;
  /**
   * The answer of any control-plane; asks once more where that may help. Rejects with the AppError that the question failed
   * with, a retryable one where nobody answers, and with the signal's reason as soon as it aborts.
   */
  request<Question, Answer>(
    exchange: RequestDefinition<Question, Answer>,
    question: Question,
    signal: AbortSignal,
  ): Promise<Answer>;
  /**
   * Takes its share of the questions until it is disposed of, which waits for those it works at. An AppError that `handle`
   * throws goes to the asker.
   */
  respond<Question, Answer>(
    exchange: RequestDefinition<Question, Answer>,
    handle: (question: Question) => Promise<Answer>,
  ): AsyncDisposable;
  /** Resolves where the server answers a round trip, rejects where it doesn't. */
  ping(): Promise<void>;
}
