import type {
  ClientToolResult,
  DataConnectionToolResult,
} from '@calls/api-contract/data-messages/tool-results';
import type { Clock, Timer } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import type { ToolResponse } from './tool-response.ts';

export type RemoteResult = ClientToolResult | DataConnectionToolResult;
export type RemoteSide = 'client' | 'dataConnection';

interface Waiting {
  side: RemoteSide;
  timer: Timer;
  settle: (response: ToolResponse) => void;
}

const SIDE_NAMES: Record<RemoteSide, string> = { client: 'client', dataConnection: 'data connection' };

/** Tool invocations that the client or the data connection has not answered yet. */
export class RemoteInvocations {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends an invocation with `send`. Rejects on timeout; never settles after `close`. */
  invoke(id: string, side: RemoteSide, timeoutMs: number, send: () => void): Promise<ToolResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<ToolResponse>();
    if (this.#closed) return promise;
    const timer = this.#clock.setTimer(timeoutMs, () => {
      this.#waiting.delete(id);
      const problem = `the ${SIDE_NAMES[side]} did not respond within ${timeoutMs / 1000} s`;
      reject(new AppError('tool_timeout', problem, { retryable: false }));
    });
    this.#waiting.set(id, { side, timer, settle: resolve });
    send();
    return promise;
  }

  /** Settles an invocation. False if none is waiting: unknown id, settled before, or too late. */
  settle(side: RemoteSide, result: RemoteResult): boolean {
    const waiting = this.#waiting.get(result.invocationId);
    if (waiting?.side !== side) return false;
    this.#waiting.delete(result.invocationId);
    waiting.timer.cancel();
    waiting.settle(answerOf(result));
    return true;
  }

  /** Cancels all invocations. */
  close(): void {
    this.#closed = true;
    for (const { timer } of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }
}

function answerOf(result: RemoteResult): ToolResponse {
  const {
    result: text = '',
    responseType,
    agentReaction,
    errorType,
    errorMessage = '',
    updateCallState,
  } = result;
  const failed = errorType !== undefined || errorMessage !== '';
  const type = errorType ?? 'implementation-error';
  const shown = responseType === 'new-stage' ? '' : text;
  const message = shown !== '' ? shown : type === 'undefined' ? 'there is no such tool' : 'the tool failed';
  return {
    result: text,
    responseType: responseType ?? 'tool-response',
    reaction: agentReaction ?? null,
    updateCallState: updateCallState ?? null,
    error: failed ? { type, message, details: errorMessage === '' ? message : errorMessage } : null,
  };
}
