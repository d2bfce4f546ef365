import type { Dialog } from '@calls/sip/calls';
import type { HeldCall } from '../calls/held-call.ts';
import type { CallMedia, SipLeg } from './sip-leg.ts';
import { transferUri } from './sip-address.ts';

/** A call with an established dialog and negotiated media. */
export interface StandingCall {
  dialog: Dialog;
  media: CallMedia;
  leg: Pick<SipLeg, 'settle'>;
}

/** Runs the conversation. Resolves when the dialog has ended. */
export async function talk(
  call: Pick<HeldCall, 'join' | 'spec'>,
  { dialog, media, leg }: StandingCall,
): Promise<void> {
  leg.settle('SIP_TERMINATION_NORMAL');
  dialog.onReinvite(media);
  const { medium } = call.spec;
  const transport = media.transport({
    // The call ends when BYE is sent: a peer that is gone does not answer it.
    hangUp: async () => {
      void dialog.bye();
      await dialog.ended;
    },
    transfer: (target) => dialog.refer(medium.kind === 'sip' ? transferUri(target, medium) : target),
  });
  dialog.onKey((key) => transport.keyPressed(key));
  const ended = dialog.ended.then(({ by }) => {
    if (by === 'lost') leg.settle('SIP_TERMINATION_UNKNOWN');
    transport.ended(by);
  });
  // The call may have ended while the phone rang.
  if (!call.join(transport, null)) await transport.close('unjoined');
  await ended;
  // The log also contains its last messages.
  await dialog.bye();
}
