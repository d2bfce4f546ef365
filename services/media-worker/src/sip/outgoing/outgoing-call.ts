import type { SipSpec } from '@calls/api-contract/call-spec';
import type { Logger } from '@calls/foundation/logger';
import type { HostedCall } from '../../calls/hosted-call.ts';
import { followMessages } from '../leg/follow-messages.ts';
import { finish, SipLeg, type SipDeps } from '../leg/sip-leg.ts';
import { runConversation } from '../leg/established-call.ts';
import { failureOf, meaningOf } from '../leg/termination-reason.ts';

export type PlacedCall = Pick<
  HostedCall,
  'endsWith' | 'released' | 'join' | 'lease' | 'note' | 'notReached' | 'spec'
>;

/** Margin, so that "not answered" is reported before the call's own time limit. */
const RING_MARGIN_MS = 200;

/** Places a call and runs it. Resolves when all its resources are released. Rejects if it cannot be placed. */
export async function placeCall(
  deps: SipDeps,
  call: PlacedCall,
  { to, from, username, password, outboundProxy, headers = {}, codecs, mediaEncryption }: SipSpec,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
): Promise<void> {
  const { openMedia, logs, clock, invite } = deps;
  const over = new AbortController();
  void call.released.then(() => over.abort());
  await using media = await openMedia(mediaEncryption);
  if (over.signal.aborted) return;
  if (codecs) media.useCodecs(codecs);
  const leg = new SipLeg(call, clock.wallMs(), clock);
  const { accountId, createdAtMs, joinTimeoutMs } = call.spec;
  const placed = invite({
    to,
    from,
    credentials: username === null || password === null ? null : { username, password },
    outboundProxy,
    headers: Object.entries(headers),
    sdp: ({ address }) => media.offer(address),
    reoffer: (sdp) => media.reoffer(sdp),
    ringLimitMs: Math.max(0, createdAtMs + joinTimeoutMs - RING_MARGIN_MS - clock.wallMs()),
    owner: accountId,
  });
  over.signal.addEventListener('abort', () => placed.cancel());
  const { callId } = placed;
  logs.claim(callId);
  logs.follow(callId, followMessages(call));
  const answer = await placed.answered;
  const failure = failureOf(answer, media);
  if (failure) {
    const { cause, status } = failure;
    const { reason, sentence } = meaningOf(failure);
    log.info({ cause, status }, 'outgoing SIP call was not answered');
    leg.settle(reason);
    call.notReached(sentence);
  }
  if (answer.kind === 'answered') {
    if (failure) await answer.dialog.bye();
    else await runConversation({ ...deps, log }, call, { dialog: answer.dialog, media, leg });
  }
  await finish(deps, call, leg, callId);
}
