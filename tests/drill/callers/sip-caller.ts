import type { IncomingInvite } from '@calls/sip/calls';
import type { Api } from '../../support/api.ts';
import { AnsweringPhone } from '../../support/sip/answering-phone.ts';
import { openCalledPhones } from '../../support/sip/called-phones.ts';
import { AgentAudio, type DrillCaller } from './drill-caller.ts';

/** Phones that answer SIP calls of agents. */
export interface DrillPhones extends AsyncDisposable {
  call(api: Api, settings: Record<string, unknown>): Promise<DrillCaller>;
}

export async function openPhones(): Promise<DrillPhones> {
  const phones = await openCalledPhones();
  return {
    async call(api, settings) {
      const { invite, placed } = await phones.called((to) => {
        const outgoing = { to, from: 'sip:hotel@127.0.0.1' };
        return api.createCall({ ...settings, medium: { sip: { outgoing } } });
      });
      return answer(invite, placed.callId);
    },
    [Symbol.asyncDispose]: () => phones[Symbol.asyncDispose](),
  };
}

async function answer(invite: IncomingInvite, callId: string): Promise<DrillCaller> {
  const agent = new AgentAudio();
  const phone = await AnsweringPhone.answer(invite, {
    onAudible: () => agent.audible(),
    onMoved: () => agent.moved(),
  });
  let lost: string | null = null;
  let isHangingUp = false;
  void phone.dialog.ended.then(({ by }) => {
    if (!isHangingUp) lost = `ended by ${by}`;
  });
  return {
    callId,
    medium: 'sip',
    agent,
    get lost() {
      return lost;
    },
    async hangUp() {
      isHangingUp = true;
      await phone.dialog.bye();
    },
  };
}
