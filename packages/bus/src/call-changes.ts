import { callChangeValidator, type CallChange } from '@calls/api-contract/bus/call-change';
import type { Connection } from './connection.ts';

const SUBJECT = 'call_changes';

/** Changes of all calls, for control-planes that show them live. Messages may be lost. */
export class CallChanges {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** No effect while the bus is unavailable. */
  publish({ accountId, callId, state }: CallChange): void {
    this.#connection.broadcast(SUBJECT, { accountId, callId, state });
  }

  /** Receives the messages of all processes, including this one, until disposed. */
  subscribe(handle: (change: CallChange) => void): Disposable {
    const subscription = this.#connection.receive(SUBJECT, callChangeValidator, handle);
    return { [Symbol.dispose]: () => subscription.unsubscribe() };
  }
}
