import type { SipSpec } from '@calls/api-contract/call-spec';
import type { SipTermination } from '@calls/api-contract/rest/enums';
import type { LegOutcome, LegFailure } from '@calls/conversation/ports/transfer-legs';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { Dialog, OutgoingInvite, SipCredentials } from '@calls/sip/calls';
import { CallDialogs } from '../leg/call-dialogs.ts';
import type { CallMedia, SipDeps } from '../leg/sip-leg.ts';
import { referredCall } from '../leg/established-call.ts';
import { failureOf, meaningOf } from '../leg/termination-reason.ts';

/** A call to a person that a user is transferred to. */
export interface PersonCall extends Pick<OutgoingInvite, 'to' | 'from' | 'outboundProxy' | 'ringLimitMs'> {
  /** Best first; undefined: the default codecs. */
  codecs?: SipSpec['codecs'] | undefined;
  /** Undefined: the worker's setting applies. */
  mediaEncryption?: SipSpec['mediaEncryption'] | undefined;
  credentials: SipCredentials | null;
  /** Id of this call to the person. */
  legId: string;
  /** The user's call and its account. */
  callId: string;
  accountId: string;
  log: PersonLog;
}

type PersonLog = ConstructorParameters<typeof CallDialogs>[1]['log'] & Pick<Logger, 'warn'>;
type PersonDeps = Pick<SipDeps, 'invite' | 'logs' | 'openMedia' | 'recordPerson'>;

const NO_PORTS = 'The person could not be called: the service has no free RTP ports.';
const CANCELLED: LegOutcome = { kind: 'failed', failure: 'no_answer', detail: 'The call was cancelled.' };

/** `outcome` never rejects. `released` resolves when the call is over and its resources are released. */
export function callPerson(
  deps: PersonDeps,
  call: PersonCall,
  signal: AbortSignal,
): { outcome: Promise<LegOutcome>; released: Promise<void> } {
  const outcome = Promise.withResolvers<LegOutcome>();
  const released = run(deps, call, signal, outcome.resolve).catch((thrown: unknown) => {
    call.log.error({ err: toError(thrown) }, 'failed to call the target of a warm transfer');
    outcome.resolve({ kind: 'failed', failure: 'unreachable', detail: NO_PORTS });
  });
  return { outcome: outcome.promise, released };
}

async function run(
  deps: PersonDeps,
  call: PersonCall,
  signal: AbortSignal,
  resolve: (outcome: LegOutcome) => void,
): Promise<void> {
  const { invite, openMedia, logs } = deps;
  const { to, from, outboundProxy, credentials, codecs, mediaEncryption, accountId, ringLimitMs } = call;
  await using media = await openMedia(mediaEncryption);
  if (signal.aborted) {
    resolve(CANCELLED);
    return;
  }
  if (codecs) media.useCodecs(codecs);
  const placed = invite({
    ...{ to, from, outboundProxy, credentials, ringLimitMs },
    sdp: ({ address }) => media.offer(address),
    reoffer: (sdp) => media.reoffer(sdp),
    owner: accountId,
  });
  signal.addEventListener('abort', () => placed.cancel());
  const result = await placed.answered;
  const failure = failureOf(result, media);
  if (failure) {
    const { reason, sentence } = meaningOf(failure);
    call.log.info(
      { cause: failure.cause, status: failure.status },
      'target of a warm transfer did not answer',
    );
    // A trunk rejects calls as well: by wrong credentials, or because it does not place them.
    const isRejected = reason === 'SIP_TERMINATION_REJECTED' && failure.status !== DECLINE;
    const known = isRejected ? 'refused' : FAILURES[reason];
    resolve({ kind: 'failed', failure: known ?? 'unreachable', detail: sentence });
  }
  if (result.kind === 'answered') {
    if (failure) await result.dialog.bye();
    else await runConversation(deps, call, { dialog: result.dialog, media, resolve });
  }
  // The log of the user's call contains only the messages of its own dialogs.
  logs.take(placed.callId);
}

async function runConversation(
  { invite, recordPerson }: PersonDeps,
  { to, from, outboundProxy, credentials, legId, callId, accountId, log }: PersonCall,
  { dialog, media, resolve }: { dialog: Dialog; media: CallMedia; resolve: (outcome: LegOutcome) => void },
): Promise<void> {
  const stored = recordPerson(
    legId,
    () => {
      const current = dialogs.current.snapshot();
      return { userCallId: callId, dialog: { ...current, routeSet: [...current.routeSet] } };
    },
    log,
  );
  const { username = null, password = null } = credentials ?? {};
  const party = { direction: 'outgoing', to, from, outboundProxy, username, password } as const;
  const dialogs = new CallDialogs(dialog, {
    media,
    log,
    onChanged: () => stored.changed(),
    onKey: (key) => transport.keyPressed(key),
    // The person can pass the call on, as on any phone.
    call: (referral, sdp) => referredCall({ invite, party, owner: accountId }, referral, sdp),
  });
  const transport = media.transport({ hangUp: () => dialogs.hangUp() });
  const ended = dialogs.ended.then(({ by }) => transport.ended(by));
  resolve({ kind: 'answered', transport });
  await ended;
  await stored.close(true);
  await dialogs.current.bye();
}

const DECLINE = 603;

/** Other reasons count as unreachable. */
const FAILURES: Readonly<Partial<Record<SipTermination, LegFailure>>> = {
  SIP_TERMINATION_BUSY: 'busy',
  SIP_TERMINATION_TIMEOUT: 'no_answer',
  SIP_TERMINATION_CANCELED: 'no_answer',
  SIP_TERMINATION_REJECTED: 'declined',
};
