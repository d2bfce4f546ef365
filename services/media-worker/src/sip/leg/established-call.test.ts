import { describe, expect, it } from '@jest/globals';
import type { OutgoingInvite } from '@calls/sip/calls';
import { referredCall } from './established-call.ts';

const PARTY = {
  direction: 'outgoing',
  ...{ to: 'sip:+4930123@pbx.test:5080', from: 'sip:+4930555@pbx.test' },
  ...{ outboundProxy: 'sbc.test', username: 'trunk', password: 'secret' },
} as const;
const OWN = { username: 'trunk', password: 'secret' };

function calledFor(target: string, party: Parameters<typeof referredCall>[0]['party'] = PARTY) {
  const invites: OutgoingInvite[] = [];
  const invite = (call: OutgoingInvite) => {
    invites.push(call);
    const answered = new Promise<never>(() => undefined);
    return { callId: '1', answered, cancel: () => undefined };
  };
  const report = () => Promise.resolve();
  referredCall(
    { invite, party, owner: 'account', contact: 'sip:pbx@192.0.2.7' },
    { target, replaces: null, referredBy: null, report },
    '',
  );
  return invites[0];
}

describe('call to the target of a REFER', () => {
  it.each([
    ['tel:+4930777;npdi', 'sip:+4930777@pbx.test:5080', OWN],
    ['sip:bob@PBX.test', 'sip:bob@PBX.test', OWN],
    ['sip:bob@elsewhere.test', 'sip:bob@elsewhere.test', null],
  ])(
    'goes through the outbound proxy, and has credentials only for its server: %s',
    (target, to, credentials) => {
      const { from, outboundProxy } = PARTY;
      expect(calledFor(target)).toMatchObject({ to, from, outboundProxy, credentials });
    },
  );

  it('is placed as the called party of an incoming call, without credentials', () => {
    const { from: to, to: from } = PARTY;
    const incoming = { direction: 'incoming', to, from, username: null, password: null } as const;
    expect(calledFor('tel:+4930777', incoming)).toMatchObject({
      to: 'sip:+4930777@pbx.test:5080',
      from: to,
      credentials: null,
    });
  });
});
