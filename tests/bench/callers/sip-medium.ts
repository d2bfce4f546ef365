import { AnsweringPhone } from '../../support/sip/answering-phone.ts';
import { openCalledPhones } from '../../support/sip/called-phones.ts';
import { AgentActivity } from './agent-activity.ts';
import type { CallerMedium } from './caller-medium.ts';
import { createMuLawVoice, MU_LAW_RATE_HZ } from './mu-law-voice.ts';

const FRAME_MS = 20;

/** SIP phones with PCMU that the agent calls. Their RTP packets are encoded in advance. */
export async function sipMedium(): Promise<CallerMedium> {
  const phones = await openCalledPhones();
  return {
    kind: 'sip',
    sampleRateHz: MU_LAW_RATE_HZ,
    aheadMs: FRAME_MS,
    jitterBufferMs: 60,
    createVoice: createMuLawVoice,
    async connect(createCall, events) {
      const { invite } = await phones.called((to) =>
        createCall({ sip: { outgoing: { to, from: 'sip:hotel@127.0.0.1' } } }),
      );
      events.onOpen();
      const activity = new AgentActivity(events);
      const phone = await AnsweringPhone.answerMuted(invite, {
        onAudio(isAudible) {
          if (isAudible) activity.audible();
          if (activity.isSpeaking) events.onAudio(FRAME_MS);
        },
      });
      void phone.dialog.ended.then(({ by }) => {
        activity[Symbol.dispose]();
        events.onLost(`ended by ${by}`);
      });
      return {
        packets: { received: 0, lost: 0 },
        send: (frame) => phone.send(frame),
        hangUp: () => phone.dialog.bye(),
      };
    },
    [Symbol.asyncDispose]: () => phones[Symbol.asyncDispose](),
  };
}
