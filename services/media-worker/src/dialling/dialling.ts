import { DIAL_EXCHANGE } from '@calls/api-contract/bus/live-calls';
import type { TelephonyDialect } from '@calls/api-contract/vendors/telephony-vendors';
import type { Bus } from '@calls/bus/bus';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { HeldCall } from '../calls/held-call.ts';

/** `unanswered`: no control-plane said whether the phone rings. */
export type DialOutcome = 'dialled' | 'refused' | 'unanswered';

export interface DiallingOptions {
  bus: Pick<Bus, 'request'>;
  onAsked: (outcome: DialOutcome, by: TelephonyDialect) => void;
}

/** Has the phone rung of whom a call waits for. Doesn't wait for it, nor throw. */
export type Dial = (call: DialledCall, log: Pick<Logger, 'info' | 'error'>) => void;

type DialledCall = Pick<HeldCall, 'callId' | 'fate' | 'notReached'> & {
  spec: { medium: HeldCall['spec']['medium'] };
};

const NOBODY_DIALLED = 'The phone call could not be placed: the service that dials did not answer.';

/**
 * Calls whose medium dials are dialled by a control-plane, which has the credentials. Where it refuses, or none answers, the call
 * ends. An answer that comes when the call has left this worker changes nothing: it may go on elsewhere.
 */
export function createDialling({ bus, onAsked }: DiallingOptions): Dial {
  return (call, log) => {
    const { medium } = call.spec;
    if (!('dials' in medium && medium.dials)) return;
    const { kind: by } = medium;
    const left = new AbortController();
    void call.fate.then(() => left.abort(new Error('the call has left this worker')));
    bus.request(DIAL_EXCHANGE, { callId: call.callId }, left.signal).then(
      (answer) => {
        onAsked(answer.outcome, by);
        if (answer.outcome === 'dialled') return;
        log.info({ pii: { detail: answer.detail } }, 'a phone call was refused');
        call.notReached(answer.detail);
      },
      (thrown: unknown) => {
        if (left.signal.aborted) return;
        onAsked('unanswered', by);
        log.error({ err: toError(thrown) }, 'no control-plane dialled a phone call');
        call.notReached(NOBODY_DIALLED);
      },
    );
  };
}
