import type { Delivery } from '../callback-ledger.ts';
import type { StoredCall } from '../stored-rows.ts';
import type { AddViolation } from '../verdict.ts';

/** Checks that each due callback was delivered, always with the same id, and that it matches the rows. */
export function checkCallbacks(
  calls: ReadonlyMap<string, StoredCall>,
  deliveries: readonly Delivery[],
  addViolation: AddViolation,
): void {
  const byCall = Map.groupBy(deliveries, ({ callId }) => callId);
  for (const call of calls.values()) {
    const made = Map.groupBy(byCall.get(call.callId) ?? [], ({ event }) => event);
    const due = new Set(dueEvents(call));
    for (const event of due) {
      if (!made.get(event)?.some(({ isAcknowledged }) => isAcknowledged))
        addViolation('callbacks', `${call.callId}: ${event} was never delivered (${call.endReason})`);
    }
    for (const [event, attempts] of made) {
      if (!due.has(event)) addViolation('callbacks', `${call.callId}: ${event} was delivered but not due`);
      const ids = new Set(attempts.map(({ deliveryId }) => deliveryId));
      if (ids.size > 1)
        addViolation('callbacks', `${call.callId}: ${event} was delivered with ${ids.size} ids`);
      for (const attempt of attempts) checkBody(call, attempt, addViolation);
    }
  }
  for (const callId of byCall.keys()) {
    if (!calls.has(callId)) addViolation('callbacks', `a callback was delivered for unknown call ${callId}`);
  }
}

function dueEvents({ joinedMs }: StoredCall): string[] {
  return [...(joinedMs === null ? [] : ['call.joined']), 'call.ended', 'call.billed'];
}

function checkBody(
  call: StoredCall,
  { event, endReason, billingStatus }: Delivery,
  addViolation: AddViolation,
): void {
  const { callId } = call;
  if (event !== 'call.joined' && endReason !== call.endReason)
    addViolation(
      'callbacks',
      `${callId}: ${event} has end reason ${endReason}, the call has ${call.endReason}`,
    );
  if (event === 'call.billed' && billingStatus !== call.billingStatus)
    addViolation(
      'callbacks',
      `${callId}: ${event} has billing status ${billingStatus}, the call has ${call.billingStatus}`,
    );
}
