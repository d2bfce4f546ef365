import type { Logger } from '@calls/foundation/logger';
import type { HeldCall } from '../calls/held-call.ts';
import { followMessages } from './follow-messages.ts';
import type { MovedLeg } from './moved-leg.ts';
import { finish, SipLeg, type SipDeps } from './sip-leg.ts';
import { talk } from './standing-call.ts';

export type ResumedCall = Pick<HeldCall, 'end' | 'endsWith' | 'fate' | 'join' | 'lease' | 'note' | 'spec'>;

/** Continues the conversation of a call of another worker. Resolves when all its resources are released. */
export async function resumeCall(
  deps: SipDeps,
  call: ResumedCall,
  { dialog, media, outcome }: Pick<MovedLeg, 'dialog' | 'media' | 'outcome'>,
  dialledAtMs: number,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
): Promise<void> {
  await using _ = media;
  const leg = new SipLeg(call, dialledAtMs, deps.clock);
  leg.settle('SIP_TERMINATION_UNKNOWN');
  deps.logs.follow(dialog.callId, followMessages(call));
  void call.fate.then(({ kind }) => (kind === 'ended' ? dialog.bye() : dialog.release()));
  const moved = await outcome;
  if (moved.kind === 'moved') await talk({ ...deps, log }, call, { dialog, media, leg });
  else {
    if (moved.kind === 'unusable') void dialog.bye();
    const { by } = await dialog.ended;
    const reason = moved.kind === 'unusable' ? moved.refusal.reason : undefined;
    log.info({ by, reason }, 'SIP peer did not continue the call with this worker');
    if (by === 'remote') leg.settle('SIP_TERMINATION_NORMAL');
    call.end(by === 'remote' ? 'hangup' : 'connection_error');
  }
  await finish(deps, call, leg, dialog.callId);
}
