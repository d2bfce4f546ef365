import { DIAL_REQUEST, type DialReplyMessage } from '@calls/api-contract/bus/live-calls';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';
import type { Metrics } from '@calls/telemetry/metrics';
import type { HostedCall } from '../calls/hosted-call.ts';
import { repeatWhileBusy } from './repeat-while-busy.ts';

/** `unanswered`: no control-plane responded. */
type DialOutcome = 'dialled' | 'refused' | 'unanswered';

export interface DiallingOptions {
  requests: Pick<ControlPlaneRequests, 'send'>;
  onReply: OnDialled;
  clock: Clock;
}

/** Starts dialling for a call that waits for a phone. Does not wait for the result and does not throw. */
export type Dial = (call: DialledCall, log: Pick<Logger, 'info' | 'error'>) => void;

type DialledCall = Pick<HostedCall, 'callId' | 'released' | 'notReached'> & {
  spec: { medium: HostedCall['spec']['medium'] };
};

export const NOT_DIALLED = 'The phone call could not be placed: the dialling service did not respond.';

/**
 * A control-plane dials, because it has the provider's credentials. If it refuses or none responds, the call ends. While
 * control-planes are busy, the call waits. A reply after the call has left this worker is ignored: another worker may run the
 * call.
 */
export function createDialling({ requests, onReply, clock }: DiallingOptions): Dial {
  const request = (callId: string, signal: AbortSignal): Promise<DialReplyMessage> =>
    repeatWhileBusy(() => requests.send(DIAL_REQUEST, { callId }, signal), { clock, signal });
  return (call, log) => {
    const { medium } = call.spec;
    if (!('dials' in medium && medium.dials)) return;
    const { kind: by } = medium;
    const left = new AbortController();
    void call.released.then(() => left.abort(new Error('the call has left this worker')));
    request(call.callId, left.signal).then(
      (reply) => {
        onReply(reply.outcome, by);
        if (reply.outcome === 'dialled') return;
        log.info({ pii: { detail: reply.detail } }, 'phone call not placed');
        call.notReached(reply.detail);
      },
      (thrown: unknown) => {
        if (left.signal.aborted) return;
        onReply('unanswered', by);
        log.error({ err: toError(thrown) }, 'failed to dial phone call: no control-plane responded');
        call.notReached(NOT_DIALLED);
      },
    );
  };
}

export type OnDialled = (outcome: DialOutcome, by: TelephonyDialect) => void;

/** Counts phone calls that a control-plane was asked to dial. */
export function countDials(metrics: Metrics): OnDialled {
  const dials = metrics.counter<'outcome' | 'by'>({
    name: 'dials_total',
    help: 'Phone calls requested from providers: `dialled`, `refused` or `unanswered` (no control-plane responded)',
    labels: ['outcome', 'by'],
  });
  return (outcome, by) => dials.inc({ outcome, by });
}
