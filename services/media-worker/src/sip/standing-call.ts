import type { Dialog } from '@calls/sip/calls';
import type { HeldCall } from '../calls/held-call.ts';
import type { SipLeg } from './sip-leg.ts';
import { transferUri } from './sip-address.ts';
import type { CallMedia } from './sip-deps.ts';

/** What there is of a call whose dialog stands and whose media is agreed on. */
export interface StandingCall {
  dialog: Dialog;
  media: CallMedia;
  leg: Pick<SipLeg, 'settle'>;
}

/** Lets the call talk. Resolves when the dialog is over. */
export async function talk(
  call: Pick<HeldCall, 'join' | 'spec'>,
  { dialog, media, leg }: StandingCall,
): Promise<void> {
  leg.settle('SIP_TERMINATION_NORMAL');
  dialog.onReinvite(media);
  const { medium } = call.spec;
  const transport = media.transport({
    hangUp: () => dialog.bye(),
    transfer: (target) => dialog.refer(medium.kind === 'sip' ? transferUri(target, medium) : target),
  });
  const ended = dialog.ended.then(({ by }) => {
    if (by === 'lost') leg.settle('SIP_TERMINATION_UNKNOWN');
    transport.ended(by);
  });
  // It may have ended while the phone rang.
  if (!call.join(transport, null)) await transport.close('unjoined');
  await ended;
  // Its last messages belong to its log.
  await dialog.bye();
}
