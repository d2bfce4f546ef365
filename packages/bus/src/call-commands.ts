import {
  callCommandReplyValidator,
  callCommandsSubject,
  callCommandValidator,
  type CallCommand,
  type CallCommandReply,
} from '@calls/api-contract/bus/call-commands';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { runInTrace } from '@calls/foundation/trace-context';
import { ErrorCode, NatsError, type NatsConnection } from 'nats';
import { BusUnavailableError } from './bus-error.ts';
import { decodePayload, encodePayload, traceOf } from './payload.ts';

const REPLY_LIMIT_MS = 2000;

export type CommandHandler = (
  command: CallCommand,
) => CallCommandReply | null | Promise<CallCommandReply | null>;

/** The reply of the worker that runs the call, or null if no worker responds. */
export async function requestCommand(
  connection: NatsConnection,
  callId: string,
  command: CallCommand,
  limitMs = REPLY_LIMIT_MS,
): Promise<CallCommandReply | null> {
  const { data, headers } = await encodePayload(command);
  try {
    const options = { timeout: limitMs, headers };
    const reply = await connection.request(callCommandsSubject(callId), data, options);
    return callCommandReplyValidator.parse(await decodePayload(reply.data));
  } catch (thrown) {
    if (thrown instanceof NatsError && thrown.code === ErrorCode.NoResponders.valueOf()) return null;
    throw new BusUnavailableError('call command', thrown);
  }
}

/** Responds to commands until disposed. Malformed commands are logged and get no reply. */
export function serveCommands(
  connection: NatsConnection,
  callId: string,
  handle: CommandHandler,
  log: Logger,
): Disposable {
  const subscription = connection.subscribe(callCommandsSubject(callId), {
    callback: (error, message) => {
      if (error) return;
      const answer = async (): Promise<void> => {
        const command = callCommandValidator.parse(await decodePayload(message.data));
        const reply = await handle(command);
        if (!reply) return;
        const { data, headers } = await encodePayload(reply);
        message.respond(data, { headers });
      };
      runInTrace(traceOf(message.headers), answer, callId).catch((thrown: unknown) => {
        log.error({ callId, err: toError(thrown) }, 'failed to respond to call command');
      });
    },
  });
  return { [Symbol.dispose]: () => subscription.unsubscribe() };
}
