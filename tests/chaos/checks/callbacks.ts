import type { Delivery } from '../callback-ledger.ts';
import type { KeptCall } from '../kept-rows.ts';
import type { Blame } from '../verdict.ts';

/** Each callback that a call has to make arrived, always under the same id, and said what the rows say. */
export function callbackFaults(
  calls: ReadonlyMap<string, KeptCall>,
  deliveries: readonly Delivery[],
  blame: Blame,
): void {
  const byCall = Map.groupBy(deliveries, ({ callId }) => callId);
  for (const call of calls.values()) {
    const made = Map.groupBy(byCall.get(call.callId) ?? [], ({ event }) => event);
    const due = new Set(dueEvents(call));
    for (const event of due) {
      if (!made.get(event)?.some(({ isAcknowledged }) => isAcknowledged))
        blame('callbacks', `${call.callId}: ${event} was never delivered (${call.endReason})`);
    }
    for (const [event, attempts] of made) {
      if (!due.has(event)) blame('callbacks', `${call.callId}: ${event} was delivered and not due`);
      const ids = new Set(attempts.map(({ deliveryId }) => deliveryId));
      if (ids.size > 1) blame('callbacks', `${call.callId}: ${event} came under ${ids.size} ids`);
      for (const attempt of attempts) bodyFaults(call, attempt, blame);
    }
  }
  for (const callId of byCall.keys()) {
    if (!calls.has(callId)) blame('callbacks', `one came of ${callId}, which is not there`);
  }
}

function dueEvents({ joinedMs }: KeptCall): string[] {
  return [...(joinedMs === null ? [] : ['call.joined']), 'call.ended', 'call.billed'];
}

function bodyFaults(call: KeptCall, { event, endReason, billingStatus }: Delivery, blame: Blame): void {
  const { callId } = call;
  if (event !== 'call.joined' && endReason !== call.endReason)
    blame('callbacks', `${callId}: ${event} said ${endReason}, the call ended ${call.endReason}`);
  if (event === 'call.billed' && billingStatus !== call.billingStatus)
    blame('callbacks', `${callId}: ${event} said ${billingStatus}, the call has ${call.billingStatus}`);
}
