import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestDefinition } from '@calls/api-contract/bus/request-reply';
import {
  SIP_REGISTRATIONS_REQUEST,
  type AssignedRegistration,
  type SipRegistrationsReplyMessage,
  type SipRegistrationsRequestMessage,
} from '@calls/api-contract/bus/sip-registrations';
import { NoRespondersError } from '@calls/bus/bus-error';
import { createRegistrationSeal } from '@calls/bus/call-seal';
import { silentLogger } from '@calls/foundation/logger';
import type { RegistrationOptions } from '@calls/sip/calls';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { SipRegistrations } from './sip-registrations.ts';

const ID = '0190f3a0-0000-7000-8000-000000000001';
const REGISTRAR = '192.0.2.1';
const seal = createRegistrationSeal(['secret of the test workers']);
const LEASED: AssignedRegistration = {
  registrationId: ID,
  accountId: '0190f3a0-0000-7000-8000-00000000000a',
  version: 'one',
  epoch: 1,
  username: 'ada',
  authUser: null,
  password: 'open sesame',
  proxy: 'pbx.test',
  outboundProxy: null,
  contactUser: 'token',
};

let clock: VirtualClock;
let asked: SipRegistrationsRequestMessage[];
let answer: () => Partial<SipRegistrationsReplyMessage>;
/** Registrations in order, and how each ended. */
let begun: { options: RegistrationOptions; end: 'unregistered' | 'abandoned' | null }[];
let registrations: SipRegistrations;
/** The server that accepts each registration. */
let acceptedBy: string | null;

beforeEach(async () => {
  clock = new VirtualClock();
  asked = [];
  begun = [];
  acceptedBy = REGISTRAR;
  registrations = new SipRegistrations({
    workerId: 'w1',
    register(options) {
      const one: (typeof begun)[number] = { options, end: null };
      begun.push(one);
      return {
        isRegistrar: (address) => address === REGISTRAR,
        acceptedBy,
        stop() {
          one.end = 'unregistered';
          return Promise.resolve();
        },
        abandon() {
          one.end = 'abandoned';
        },
      };
    },
    requests: {
      async send<Q, A>({ reply, request }: RequestDefinition<Q, A>, asks: Q): Promise<A> {
        asked.push(SIP_REGISTRATIONS_REQUEST.request.parse(request.parse(asks)));
        const replied = reply.parse({ answer: { leaseMs: 10_000, held: [], assigned: [], ...answer() } });
        if ('answer' in replied) return Promise.resolve(replied.answer);
        throw new Error(replied.failure.message);
      },
    },
    seal,
    clock,
    log: silentLogger,
  });
  await lease();
  registrations.start();
  await clock.advance(0);
  answer = () => ({ held: [ID] });
});

afterEach(async () => {
  await registrations[Symbol.asyncDispose]();
  expect(clock.pendingTimers).toBe(0);
});

/** Assigns the registration with these changes at the next lease request. */
function lease(changes: Partial<AssignedRegistration> = {}): Promise<void> {
  const assigned = [seal.seal({ ...LEASED, ...changes })];
  answer = () => ({ assigned });
  return clock.advance(begun.length === 0 ? 0 : 2000);
}

const ends = () => begun.map(({ end }) => end);

describe('SipRegistrations', () => {
  it('registers with the decrypted password and reports the results', async () => {
    expect(begun.map(({ options }) => options)).toMatchObject([
      { user: 'ada', credentials: { username: 'ada', password: 'open sesame' }, contactUser: 'token' },
    ]);
    await clock.advance(2000);
    expect(asked.at(-1)?.held).toEqual([{ registrationId: ID, version: 'one', epoch: 1, outcome: null }]);
    begun[0]?.options.onOutcome({ successful: false, error: `401 ${'x'.repeat(300)}` });
    await clock.advance(2000);
    const failed = asked.at(-1)?.held[0]?.outcome;
    expect(failed).toEqual({
      successful: false,
      error: expect.stringMatching(/^401 x{196}$/u),
      expiresAtMs: null,
    });
    begun[0]?.options.onOutcome({ successful: true, expiresS: 60 });
    const expiresAtMs = clock.wallMs() + 60_000;
    await clock.advance(2000);
    expect(asked.at(-1)?.held[0]?.outcome).toEqual({ successful: true, error: null, expiresAtMs });
    expect(registrations.count()).toEqual({ registered: 1, failed: 0, pending: 0 });
  });

  it('unregisters when a registration is deleted or assigned to another worker', async () => {
    answer = () => ({});
    await clock.advance(2000);
    expect(ends()).toEqual(['unregistered']);
    await clock.advance(2000);
    expect(asked.at(-1)?.held).toEqual([]);
  });

  it('registers again after a change, and unregisters first if the binding differs', async () => {
    await lease({ version: 'two', password: 'another' });
    expect(ends()).toEqual(['abandoned', null]);
    await lease({ version: 'three', proxy: 'pbx.example' });
    expect(ends()).toEqual(['abandoned', 'unregistered', null]);
    expect(begun.at(-1)?.options).toMatchObject({ registrar: 'pbx.example' });
  });

  it('abandons registrations when the lease cannot be renewed, and resumes when it can', async () => {
    answer = () => {
      throw new NoRespondersError('SIP registrations');
    };
    await clock.advance(9999);
    expect(ends()).toEqual([null]);
    await clock.advance(1);
    expect(ends()).toEqual(['abandoned']);
    await lease({ epoch: 2 });
    expect(ends()).toEqual(['abandoned', null]);
  });

  it('leaves registrations to other workers on release, and unregisters them on disposal', async () => {
    await registrations.release();
    expect(asked.at(-1)).toEqual({ workerId: 'w1', room: 0, held: [] });
    const requests = asked.length;
    await clock.advance(60_000);
    expect([asked.length, ends()]).toEqual([requests, [null]]);
    await registrations[Symbol.asyncDispose]();
    expect(ends()).toEqual(['unregistered']);
  });

  describe('recognizes INVITEs', () => {
    const CONTACT = 'sip:token@10.0.0.1:5060;transport=udp';
    const NUMBER = 'sip:+4930123@10.0.0.1:5060';
    const ACCOUNT_DOMAIN = `${LEASED.accountId}.sip.test`;
    const OTHER = {
      registrationId: '0190f3a0-0000-7000-8000-000000000002',
      accountId: '0190f3a0-0000-7000-8000-00000000000b',
      contactUser: 'other-token',
    };
    const of = (requestUri: string, address = REGISTRAR, host = 'pbx.test'): string | null =>
      registrations.of({
        requestUri,
        to: { displayName: '', uri: `sip:+4930123@${host}`, user: '+4930123', host },
        source: { address, port: 5060, transport: 'udp' },
      });
    const leaseOther = (changes: Partial<AssignedRegistration> = {}): Promise<void> => {
      const assigned = [seal.seal({ ...LEASED, ...OTHER, ...changes })];
      answer = () => ({ held: [ID], assigned });
      return clock.advance(2000);
    };

    it('to its Contact from its registrar only', () => {
      expect(of(CONTACT)).toBe(ID);
      expect(of(CONTACT, '192.0.2.2')).toBeNull();
    });

    it('to a number from the server that accepted it, unless the domain of an account is called', () => {
      expect(of(NUMBER)).toBe(ID);
      expect(of('sip:10.0.0.1')).toBe(ID);
      expect(of(NUMBER, '192.0.2.2')).toBeNull();
      expect(of(`sip:+4930123@${ACCOUNT_DOMAIN}`)).toBeNull();
      expect(of(NUMBER, REGISTRAR, ACCOUNT_DOMAIN.toUpperCase())).toBeNull();
    });

    it('to a number only if its server has accepted it', async () => {
      acceptedBy = null;
      await lease({ version: 'two' });
      expect(of(NUMBER)).toBeNull();
      expect(of(CONTACT)).toBe(ID);
    });

    it('to a number of several accounts at one server only by their user names', async () => {
      await leaseOther();
      expect(of(NUMBER)).toBeNull();
      expect(of('sip:other-token@10.0.0.1')).toBe(OTHER.registrationId);
      await leaseOther({ version: 'two', username: '4930123' });
      expect(of(NUMBER)).toBe(OTHER.registrationId);
      await leaseOther({ version: 'three', accountId: LEASED.accountId });
      expect(of(NUMBER)).toBe(ID);
    });
  });
});
