import { systemClock as clock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import type { IncomingInvite } from '@calls/sip/calls';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';
import { AnsweringPhone } from '../../bench/failover/answering-phone.ts';
import type { Api } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { AgentAudio, type DrillCaller } from './drill-caller.ts';

const HOST = '127.0.0.1';

/** Phones that answer SIP calls of agents. */
export interface DrillPhones extends AsyncDisposable {
  call(api: Api, settings: Record<string, unknown>): Promise<DrillCaller>;
}

export async function openPhones(): Promise<DrillPhones> {
  const invites = new Map<string, IncomingInvite>();
  const endpoint = await openSipEndpoint({
    ...{ host: HOST, port: 0, address: HOST, names: createNameResolver(), clock, log: silentLogger },
    onInvite: (invite) => void invites.set(userOf(invite.requestUri), invite),
    onMessage: () => undefined,
  });
  let phones = 0;
  return {
    async call(api, settings) {
      phones += 1;
      const user = `phone-${phones}`;
      const outgoing = { to: `sip:${user}@${HOST}:${endpoint.port}`, from: `sip:hotel@${HOST}` };
      const { callId } = await api.createCall({ ...settings, medium: { sip: { outgoing } } });
      const invite = await eventually(() => {
        const found = invites.get(user);
        if (!found) throw new Error(`${user} was not called`);
        return found;
      });
      return answer(invite, callId);
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
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

function userOf(uri: string): string {
  return /sip:(?<user>[^@]+)@/u.exec(uri)?.groups?.['user'] ?? '';
}
