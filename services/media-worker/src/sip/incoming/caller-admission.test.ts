import type { RequestDefinition } from '@calls/api-contract/bus/request-reply';
import type { SipCallerReplyMessage } from '@calls/api-contract/bus/sip-invites';
import { SIP_REGISTRATIONS_REQUEST } from '@calls/api-contract/bus/sip-registrations';
import { createDialogSeal, createRegistrationSeal } from '@calls/bus/call-seal';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import { NoRespondersError } from '@calls/bus/bus-error';
import { silentLogger } from '@calls/foundation/logger';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import { Authenticator } from '@calls/sip/digest/authenticator';
import type { Admission, SipEndpointOptions, UnansweredInvite } from '@calls/sip/endpoint-options';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { InlineOpus } from '@calls/transports/opus/inline-opus';
import { InlineRtp } from '@calls/transports/rtp-thread/inline-rtp';
import { Slots } from '../../admission/slots.ts';
import { CallerAdmission } from './caller-admission.ts';
import { singleWorkerBus } from '../testing/single-worker-bus.ts';
import { SipService } from '../sip-service.ts';

const ALLOWED: SipCallerReplyMessage = { kind: 'allowed' };
const ADMITTED: Admission = { kind: 'admitted', isPeer: true };
const FORBIDDEN: SipCallerReplyMessage = { kind: 'reject', status: 403, reason: 'Forbidden' };

let clock: VirtualClock;
let asked: unknown[];
let answer: () => Promise<SipCallerReplyMessage>;
let requests: Pick<ControlPlaneRequests, 'send'>;
let admission: CallerAdmission;

beforeEach(() => {
  clock = new VirtualClock();
  asked = [];
  answer = () => Promise.resolve(FORBIDDEN);
  requests = {
    async send<Q, A>({ name, reply }: RequestDefinition<Q, A>, request: Q): Promise<A> {
      if (name === SIP_REGISTRATIONS_REQUEST.name) throw new NoRespondersError(name);
      asked.push(request);
      const replied = reply.parse({ answer: await answer() });
      if ('answer' in replied) return replied.answer;
      throw new Error(replied.failure.message);
    },
  };
  admission = new CallerAdmission({ requests, clock, log: silentLogger });
});

function invite(address: string, host = 'a.sip.test', user = 'agent'): UnansweredInvite {
  const uri = `sip:${user}@${host}`;
  return {
    requestUri: uri,
    from: { displayName: '', uri: 'sip:ann@pbx.test', user: 'ann', host: 'pbx.test' },
    to: { displayName: '', uri, user, host },
    source: { address, port: 5060, transport: 'udp' },
    headers: [],
  };
}

async function decisionOn(caller: UnansweredInvite): Promise<Admission> {
  const decision = admission.admit(caller);
  return typeof decision === 'function' ? decision() : decision;
}

describe('address of a SIP caller', () => {
  it('is checked once in 30 s for each domain while it is allowed, whichever user is called', async () => {
    answer = () => Promise.resolve(ALLOWED);
    expect(await decisionOn(invite('192.0.2.1'))).toEqual(ADMITTED);
    expect(await decisionOn(invite('192.0.2.1', 'a.sip.test', 'another'))).toEqual(ADMITTED);
    expect(asked).toEqual([
      {
        domain: 'a.sip.test',
        to: { uri: 'sip:agent@a.sip.test', user: 'agent', displayName: '' },
        sourceAddress: '192.0.2.1',
      },
    ]);
    expect(await decisionOn(invite('192.0.2.1', 'b.sip.test'))).toEqual(ADMITTED);
    expect(await decisionOn(invite('192.0.2.2'))).toEqual(ADMITTED);
    await clock.advance(30_000);
    expect(await decisionOn(invite('192.0.2.1'))).toEqual(ADMITTED);
    expect(asked).toHaveLength(4);
  });

  it('is admitted as soon as the settings of the account allow it', async () => {
    expect(await decisionOn(invite('192.0.2.1'))).toMatchObject({ kind: 'refused', status: 403 });
    answer = () => Promise.resolve(ALLOWED);
    expect(await decisionOn(invite('192.0.2.1'))).toEqual(ADMITTED);
  });

  it('is checked once for INVITEs that arrive together', async () => {
    answer = () => Promise.resolve(ALLOWED);
    const callers = Array.from({ length: 10 }, (_, i) => invite('192.0.2.1', 'a.sip.test', `agent${i}`));
    const decisions = await Promise.all(callers.map(decisionOn));
    expect(decisions).toEqual(callers.map(() => ADMITTED));
    expect(asked).toHaveLength(1);
    expect(admission.admit(invite('192.0.2.1'))).toEqual(ADMITTED);
  });

  it('is refused with 503 when the check fails, and checked again next time', async () => {
    answer = () => Promise.reject(new Error('the bus is down'));
    expect(await decisionOn(invite('192.0.2.1'))).toMatchObject({ kind: 'refused', status: 503 });
    answer = () => Promise.resolve(ALLOWED);
    expect(await decisionOn(invite('192.0.2.1'))).toEqual(ADMITTED);
  });

  it('is admitted, but not as a peer, when no control-plane responds, and checked when the call is created', async () => {
    answer = () => Promise.reject(new NoRespondersError('SIP caller'));
    expect(await decisionOn(invite('192.0.2.1'))).toEqual({ kind: 'admitted', isPeer: false });
    answer = () => Promise.resolve(FORBIDDEN);
    expect(await decisionOn(invite('192.0.2.1'))).toMatchObject({ kind: 'refused' });
  });
});

describe('SIP caller without an allowed address', () => {
  const REALM = 'a.sip.test';
  const CHALLENGE: SipCallerReplyMessage = { kind: 'challenge', realm: REALM };
  const TRUNK = '0190f3a0-0000-7000-8000-000000000009';

  async function challenged(address = '192.0.2.1'): Promise<Admission & { kind: 'refused' }> {
    answer = () => Promise.resolve(CHALLENGE);
    const refused = await decisionOn(invite(address));
    if (refused.kind !== 'refused') throw new Error('the caller was admitted');
    return refused;
  }
  /** The INVITE with credentials for the challenge. */
  function answering(
    { headers = [] }: Admission & { kind: 'refused' },
    address = '192.0.2.1',
  ): UnansweredInvite {
    const request = { kind: 'request', method: 'INVITE', uri: 'sip:a', headers: [], body: '' } as const;
    const response = { kind: 'response', status: 401, reason: '', headers, body: '' } as const;
    const authenticator = new Authenticator({ username: 'peer', password: 'secret' });
    return { ...invite(address), headers: authenticator.authorizationFor(response, request) ?? [] };
  }

  it('is challenged, and admitted once with its credentials', async () => {
    const refused = await challenged();
    expect(refused).toMatchObject({
      status: 401,
      headers: expect.arrayContaining([['WWW-Authenticate', expect.stringContaining(REALM)]]),
    });
    answer = () => Promise.resolve({ kind: 'allowed', trunkId: TRUNK });
    const answered = answering(refused);
    expect(await decisionOn(answered)).toEqual({ ...ADMITTED, grant: TRUNK });
    expect(asked.at(-1)).toMatchObject({ digest: { username: 'peer', realm: REALM, algorithm: 'SHA-256' } });
    answer = () => Promise.resolve(CHALLENGE);
    expect(await decisionOn(invite('192.0.2.1'))).toMatchObject({ status: 401 });
    const replayed = await decisionOn(answered);
    expect(replayed).toMatchObject({
      status: 401,
      headers: expect.arrayContaining([['WWW-Authenticate', expect.stringContaining('stale=true')]]),
    });
    expect(asked.at(-1)).not.toHaveProperty('digest');
  });

  it('cannot use the nonce of another address or an expired nonce', async () => {
    const refused = await challenged();
    await decisionOn(answering(refused, '192.0.2.2'));
    expect(asked.at(-1)).not.toHaveProperty('digest');
    await clock.advance(60_000);
    await decisionOn(answering(refused));
    expect(asked.at(-1)).not.toHaveProperty('digest');
  });

  it('is blocked for a while after ten wrong credentials', async () => {
    for (let i = 0; i < 10; i += 1) {
      expect(await decisionOn(answering(await challenged()))).toMatchObject({ status: 401 });
    }
    const requests = asked.length;
    expect(await decisionOn(invite('192.0.2.1'))).toMatchObject({ status: 403 });
    expect(asked).toHaveLength(requests);
    expect(await decisionOn(invite('198.51.100.1'))).toMatchObject({ status: 401 });
    await clock.advance(300_000);
    expect(await decisionOn(invite('192.0.2.1'))).toMatchObject({ status: 401 });
  });
});

describe('SipService', () => {
  it('reserves no slot for a refused caller, and checks no caller while it drains', async () => {
    const slots = new Slots(1);
    const counted: string[] = [];
    let options = null as SipEndpointOptions | null;
    await using service = await SipService.start({
      workerId: 'w1',
      bus: singleWorkerBus(),
      dialogSeal: createDialogSeal(['secret of the test workers']),
      registrationSeal: createRegistrationSeal(['secret of the test workers']),
      config: {
        listen: ['127.0.0.1'],
        port: 5060,
        tls: null,
        announced: [],
        rtpPorts: { first: 27_200, last: 27_202 },
        sessionExpiresS: 1800,
        mediaTimeoutMs: 30_000,
        mediaEncryption: 'off',
      },
      mayReach: () => true,
      rtp: new InlineRtp(new VirtualClock()),
      opus: Object.assign(new InlineOpus(), { isReady: true }),
      names: createNameResolver(),
      openEndpoint(given) {
        options = given;
        const invite = () => {
          throw new Error('no call is placed');
        };
        return Promise.resolve({
          port: 5060,
          tlsPort: null,
          invite,
          register: invite,
          resume: invite,
          [Symbol.asyncDispose]: () => Promise.resolve(),
        });
      },
      requests,
      slots,
      storage: { put: () => Promise.reject(new Error('nothing is stored')) },
      meter: {
        media: { sample: () => undefined },
        ended: () => undefined,
        refused: (reason) => counted.push(reason),
      },
      clock,
      log: silentLogger,
    });
    const used: number[] = [];
    answer = () => {
      used.push(slots.used);
      return Promise.resolve(FORBIDDEN);
    };
    const none = (): Promise<never> => Promise.reject(new Error('no call is created'));
    service.setHost({ receive: none, failOver: none, checkLeases: none });
    const ask = options?.admit?.(invite('198.51.100.1'));
    expect(typeof ask === 'function' && (await ask())).toMatchObject({ kind: 'refused', status: 403 });
    expect([used, slots.used, service.size]).toEqual([[0], 0, 0]);
    service.setHost(null);
    expect(options?.admit?.(invite('198.51.100.2'))).toMatchObject({ kind: 'refused', status: 503 });
    expect([asked.length, counted]).toEqual([1, ['refused', 'draining']]);
  });
});
