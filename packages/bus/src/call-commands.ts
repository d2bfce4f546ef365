import {
  callCommandReplyValidator,
  callCommandsSubject,
  callCommandValidator,
  type CallCommand,
  type CallCommandReply,
} from '@calls/api-contract/bus/call-commands';
import { toError } from '@calls/foundation/errors';
import { runInTrace } from '@calls/foundation/trace-context';
import { BusUnavailableError, isNoResponders } from './bus-error.ts';
import type { Connection } from './connection.ts';
import { decodePayload, encodePayload, traceOf } from './payload.ts';

const REPLY_LIMIT_MS = 2000;
const STATUS_LIMIT_MS = 1000;

export type CommandHandler = (
  command: CallCommand,
) => CallCommandReply | null | Promise<CallCommandReply | null>;

/** Commands to live calls, by call id. */
export class CallCommands {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The reply of the worker that runs the call; null if none does. Rejects if no reply arrives within the limit (2 s). */
  async send(
    callId: string,
    command: CallCommand,
    limitMs = REPLY_LIMIT_MS,
  ): Promise<CallCommandReply | null> {
    this.#connection.assertConnected('call command');
    const { data, headers } = await encodePayload(command);
    try {
      const options = { timeout: limitMs, headers };
      const reply = await this.#connection.nats.request(callCommandsSubject(callId), data, options);
      return callCommandReplyValidator.parse(await decodePayload(reply.data));
    } catch (thrown) {
      if (isNoResponders(thrown)) return null;
      throw new BusUnavailableError('call command', thrown);
    }
  }

  /**
   * Whether a worker serves the call now. A worker that doesn't reply within a second (stopped, paused or disconnected)
   * doesn't count; if it recovers, it finds that another worker owns the call. Rejects if the bus is unavailable.
   */
  async isServed(callId: string): Promise<boolean> {
    try {
      return (await this.send(callId, { kind: 'status' }, STATUS_LIMIT_MS)) !== null;
    } catch (thrown) {
      if (this.#connection.connected && thrown instanceof BusUnavailableError) return false;
      throw thrown;
    }
  }

  /**
   * Responds to commands for a call of this process until disposed. If `handle` returns null, other subscribers respond.
   * Malformed commands are logged and get no reply.
   */
  serve(callId: string, handle: CommandHandler): Disposable {
    const { nats, log } = this.#connection;
    const subscription = nats.subscribe(callCommandsSubject(callId), {
      callback: (error, message) => {
        if (error) return;
        const respond = async (): Promise<void> => {
          const command = callCommandValidator.parse(await decodePayload(message.data));
          const reply = await handle(command);
          if (!reply) return;
          const { data, headers } = await encodePayload(reply);
          message.respond(data, { headers });
        };
        runInTrace(traceOf(message.headers), respond, callId).catch((thrown: unknown) => {
          log.error({ callId, err: toError(thrown) }, 'failed to respond to call command');
        });
      },
    });
    return { [Symbol.dispose]: () => subscription.unsubscribe() };
  }
}
