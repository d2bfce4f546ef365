import type { PersonLegState, StoredDialog } from '@calls/api-contract/bus/stored-dialog';
import type { LeaseStore } from '@calls/bus/leases';
import type { StoredDialogs } from '@calls/bus/stored-dialogs';
import type { SipDeps } from '../leg/sip-leg.ts';

export interface PersonLegEnd {
  bus: {
    dialogs: Pick<StoredDialogs, 'find' | 'remove'>;
    leases: Pick<LeaseStore, 'find'>;
  };
  deps: Pick<SipDeps, 'resume'>;
  /** The lost worker that wrote the state. */
  from: string;
  stored: Pick<StoredDialog, 'callId'>;
  state: PersonLegState;
  /** Whether to hang up even while the lost worker holds the user's call. */
  isForced: boolean;
}

/**
 * Hangs up the person of a warm transfer of a lost worker: the worker that continues the user's call does not continue
 * transfers. Returns false while no other worker holds the user's call, because the lost worker may return.
 */
export async function endPersonLeg(leg: PersonLegEnd): Promise<boolean> {
  const { bus, deps, from, stored, state, isForced } = leg;
  // The person or another worker has ended the leg.
  if (!(await bus.dialogs.find(from, stored.callId))) return true;
  const lease = await bus.leases.find(state.userCallId);
  if (lease?.call && lease.holder?.workerId === from && !isForced) return false;
  await bus.dialogs.remove(from, stored.callId);
  // Servers do not challenge BYE in the dialogs that they accepted.
  await deps.resume(state.dialog, null).bye();
  return true;
}
