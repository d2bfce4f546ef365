import { callChangeValidator, type CallChange } from '@calls/api-contract/bus/call-change';
import type { Msg } from 'nats';
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
    const { connected, nats } = this.#connection;
    if (connected && !nats.isClosed()) nats.publish(SUBJECT, JSON.stringify({ accountId, callId, state }));
  }

  /** Receives the messages of all processes, including this one, until disposed. */
  subscribe(handle: (change: CallChange) => void): Disposable {
    const subscription = this.#connection.nats.subscribe(SUBJECT, {
      callback: (_, message) => {
        const change = read(message);
        if (change) handle(change);
      },
    });
    return { [Symbol.dispose]: () => subscription.unsubscribe() };
  }
}

/** Null for messages of a release that this one cannot read. */
function read(message: Msg): CallChange | null {
  try {
    return callChangeValidator.parse(message.json());
  } catch {
    return null;
  }
}
