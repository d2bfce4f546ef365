import type { PersonLegState, StoredDialog } from '@calls/api-contract/bus/stored-dialog';
import type { LeaseStore } from '@calls/bus/leases';
import type { StoredDialogs } from '@calls/bus/stored-dialogs';
import type { SipDeps } from './sip-leg.ts';

export interface PersonLegEnd {
  bus: {
    dialogs: Pick<StoredDialogs, 'find' | 'remove'>;
    leases: Pick<LeaseStore, 'find'>;
  };
  deps: Pick<SipDeps, 'resume'>;
  /** The lost worker, which wrote the state. */
  from: string;
  stored: Pick<StoredDialog, 'callId'>;
  state: PersonLegState;
  /** Also while the lost worker has the call of the user. */
  isForced: boolean;
}

/**
 * Hangs up the person of a warm transfer of a lost worker: the worker that continues the call of the user does not continue
 * transfers. False as long as no other worker has the call of the user: the lost one may come back.
 */
export async function endPersonLeg(leg: PersonLegEnd): Promise<boolean> {
  const { bus, deps, from, stored, state, isForced } = leg;
  // Ended by the person, or by another worker.
  if (!(await bus.dialogs.find(from, stored.callId))) return true;
  const lease = await bus.leases.find(state.userCallId);
  if (lease?.call && lease.holder?.workerId === from && !isForced) return false;
  await bus.dialogs.remove(from, stored.callId);
  // Servers do not challenge BYE in the dialogs that they accepted.
  await deps.resume(state.dialog, null).bye();
  return true;
}
