import type { StoredDialog } from '@calls/api-contract/bus/stored-dialog';
import type { SipFailoverOptions } from '../failover/sip-failover.ts';

/** The bus of the only worker, with the records that it stores. */
export function singleWorkerBus(): SipFailoverOptions['bus'] & { records: Map<string, StoredDialog> } {
  const records = new Map<string, StoredDialog>();
  return {
    records,
    connection: { connectedForMs: Infinity },
    leases: { find: () => Promise.resolve(null), holds: () => Promise.resolve(true) },
    heartbeats: {
      send: () => undefined,
      sendReleased: () => undefined,
      isAlive: () => Promise.resolve(false),
      subscribe: () => ({ [Symbol.dispose]: () => undefined }),
    },
    dialogs: {
      put: (_, dialog) => {
        records.set(dialog.callId, dialog);
        return Promise.resolve();
      },
      remove: (_, callId) => {
        records.delete(callId);
        return Promise.resolve();
      },
      find: () => Promise.resolve(null),
      of: () => Promise.resolve([]),
      workers: () => Promise.resolve([]),
    },
  };
}
