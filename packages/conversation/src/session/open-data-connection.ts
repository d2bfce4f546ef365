import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import { toError } from '@calls/foundation/errors';
import type { DataConnection } from '../ports/data-connection.ts';
import type { CallContext } from './call-context.ts';

/**
 * Opens the call's data connection, which listens to the call and runs tools; it does not take turns. Null if the call has
 * none.
 */
export function openDataConnection(
  { spec, services, callEvents, fail }: CallContext,
  onMessage: (message: ClientMessage) => void,
  isStopped: () => boolean,
): DataConnection | null {
  const { callId, sharedSecrets, dataConnection: config } = spec;
  if (!config) return null;
  const call = { callId, sharedSecrets, config };
  return services.dataConnections.open(call, {
    onMessage: (message) => {
      try {
        onMessage(message);
      } catch (thrown) {
        fail(toError(thrown));
      }
    },
    onNote: (...note) => (isStopped() ? undefined : callEvents.add(...note)),
  });
}
