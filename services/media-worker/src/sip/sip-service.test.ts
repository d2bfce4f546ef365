import { afterEach, describe, expect, it } from '@jest/globals';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { RequestDefinition } from '@calls/api-contract/bus/request-reply';
import type { SipInviteReplyMessage, SipInviteRequestMessage } from '@calls/api-contract/bus/sip-invites';
import { SIP_REGISTRATIONS_REQUEST } from '@calls/api-contract/bus/sip-registrations';
import type { SipSpec } from '@calls/api-contract/call-spec';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec } from '@calls/api-contract/call-spec';
import { NoRespondersError } from '@calls/bus/bus-error';
import { createDialogSeal, createRegistrationSeal } from '@calls/bus/call-seal';
import { AppError } from '@calls/foundation/errors';
import { silentLogger } from '@calls/foundation/logger';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import {
  SipError,
  type Dialog,
  type IncomingInvite,
  type InviteOutcome,
  type OutgoingInvite,
} from '@calls/sip/calls';
import type { SipEndpoint, SipEndpointOptions } from '@calls/sip/endpoint-options';
import { callSpec, sipSpec } from '@calls/testkit/call-spec';
import { scriptedServices } from '@calls/testkit/scripted/scripted-services';
import { settle, VirtualClock } from '@calls/foundation/virtual-clock';
import { InlineOpus } from '@calls/transports/opus/inline-opus';
import { InlineRtp } from '@calls/transports/rtp-thread/inline-rtp';
import { Slots } from '../admission/slots.ts';
import { HostedCall } from '../calls/hosted-call.ts';
import { SipService } from './sip-service.ts';
import { FakeDialog } from './testing/fake-dialog.ts';
import { singleWorkerBus } from './testing/single-worker-bus.ts';

const SDP = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'].join('\r\n');
const AUDIO = `${SDP}\r\nm=audio 30000 RTP/AVP 0\r\na=sendrecv\r\n`;
const NO_AUDIO = `${SDP}\r\nm=video 30000 RTP/AVP 96\r\n`;

const SPEC = sipSpec({ to: 'sip:ann@pbx.test', username: 'trunk', password: 'secret' });

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part[Symbol.asyncDispose]();
});

/** A service with an endpoint that the test controls. */
async function started({
  capacity = 2,
  ask,
  holds = () => Promise.resolve(true),
}: { capacity?: number; ask?: Ask; holds?: () => Promise<boolean> } = {}) {
  const clock = new VirtualClock();
  const slots = new Slots(capacity);
  const stored = new Map<string, string>();
  const counted: string[] = [];
  const placed: (OutgoingInvite & { answer: (outcome: InviteOutcome) => void; cancelled: () => boolean })[] =
    [];
  let options = null as SipEndpointOptions | null;
  const endpoint: SipEndpoint = {
    port: 5060,
    tlsPort: null,
    invite: (invite) => {
      const { promise, resolve } = Promise.withResolvers<InviteOutcome>();
      let isCancelled = false;
      placed.push({ ...invite, answer: resolve, cancelled: () => isCancelled });
      const text = 'INVITE sip:ann@pbx.test SIP/2.0';
      const peer = { address: '127.0.0.1', port: 5070, transport: 'udp' } as const;
      options?.onMessage({ direction: 'sent', callId: 'sip-1', peer, text });
      return {
        callId: 'sip-1',
        answered: promise,
        cancel: () => {
          isCancelled = true;
          resolve({ kind: 'failed', cause: 'cancelled', status: null, reason: 'cancelled' });
        },
      };
    },
    resume: () => {
      throw new Error('nothing is resumed');
    },
    register: () => {
      throw new Error('nothing is registered');
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const bus = singleWorkerBus();
  bus.leases.holds = holds;
  const service = await SipService.start({
    workerId: 'w1',
    bus,
    dialogSeal: createDialogSeal(['secret of the test workers']),
    registrationSeal: createRegistrationSeal(['secret of the test workers']),
    config: {
      listen: ['127.0.0.1'],
      port: 5060,
      tls: null,
      announced: [],
      rtpPorts: { first: 27_000, last: 27_198 },
      sessionExpiresS: 1800,
      mediaTimeoutMs: 30_000,
      mediaEncryption: 'off',
    },
    mayReach: () => true,
    rtp: new InlineRtp(clock),
    opus: Object.assign(new InlineOpus(), { isReady: true }),
    names: createNameResolver(),
    openEndpoint: (given) => {
      options = given;
      return Promise.resolve(endpoint);
    },
    requests: {
      send: async <Q, A>({ name, reply }: RequestDefinition<Q, A>, request: Q): Promise<A> => {
        if (name === SIP_REGISTRATIONS_REQUEST.name) throw new NoRespondersError(name);
        const answer = await (ask ?? noControlPlane)(request as SipInviteRequestMessage);
        const replied = reply.parse({ answer });
        if ('answer' in replied) return replied.answer;
        throw new Error(replied.failure.message);
      },
    },
    slots,
    storage: {
      put: async (key, body) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of body) chunks.push(chunk);
        const bytes = Buffer.concat(chunks);
        stored.set(key, bytes.toString());
        return { bytes: bytes.length };
      },
    },
    meter: {
      media: { sample: () => undefined },
      ended: (direction, reason) => counted.push(`${direction} ${reason.slice('SIP_TERMINATION_'.length)}`),
      refused: (reason) => counted.push(reason),
    },
    clock,
    log: silentLogger,
  });
  open.push(service);
  const published: CallLogEntryBody[] = [];
  const hold = (overrides: Partial<CallSpec> = {}): HostedCall => {
    const spec = callSpec({ createdAtMs: clock.wallMs(), medium: SPEC, ...overrides });
    return new HostedCall({
      spec,
      lease: { callId: spec.callId, workerId: 'w1', epoch: 1 },
      services: scriptedServices(clock, {}),
      events: { write: (body) => void published.push(body) },
      resumeFrom: null,
      log: silentLogger,
    });
  };
  let checks = 0;
  const host = {
    receive: ({ spec }: CreatedCall) => Promise.resolve(hold(spec)),
    failOver: () => Promise.resolve({ kind: 'no_capacity' as const }),
    checkLeases() {
      checks += 1;
      return Promise.resolve();
    },
  };
  service.setHost(host);
  return {
    ...{ clock, slots, stored, counted, placed, service, published, records: bus.records },
    place(overrides: Partial<CallSpec> = {}): HostedCall {
      const call = hold(overrides);
      service.place(call, SPEC, silentLogger);
      return call;
    },
    invite(given: Partial<IncomingInvite> = {}) {
      const said: string[] = [];
      const dialog = new FakeDialog();
      const invite: IncomingInvite = {
        callId: 'sip-1',
        requestUri: 'sip:agent@calls.test',
        grant: null,
        from: { displayName: 'Ann', uri: 'sip:ann@pbx.test', user: 'ann', host: 'pbx.test' },
        to: { displayName: '', uri: 'sip:agent@calls.test', user: 'agent', host: 'calls.test' },
        headers: [],
        source: { address: '127.0.0.1', port: 5070, transport: 'udp' },
        sdp: AUDIO,
        cancelled: new Promise<void>(() => undefined),
        ring: () => void said.push('180'),
        reject: (status) => void said.push(String(status)),
        accept: () => {
          said.push('200');
          return Promise.resolve(dialog);
        },
        ...given,
      };
      options?.onInvite(invite);
      return { said, dialog };
    },
    get checks() {
      return checks;
    },
    get ended() {
      return published.find((body) => body.type === 'ended');
    },
    /** Waits until the condition holds; real sockets open asynchronously. */
    async settled(isSo: () => boolean): Promise<void> {
      while (!isSo()) await settle();
    },
  };
}

type Ask = (request: SipInviteRequestMessage) => Promise<SipInviteReplyMessage>;

const noControlPlane: Ask = () =>
  Promise.reject(new AppError('no_control_plane', 'no control-plane responds', { retryable: true }));

const creates: Ask = ({ callId, to, from }) => {
  const medium: SipSpec = {
    ...SPEC,
    direction: 'incoming',
    to: to.uri,
    from: from.uri,
    username: null,
    password: null,
  };
  const spec = callSpec({ callId, medium });
  return Promise.resolve({ kind: 'call', created: { admissionClass: 'standard', spec } });
};

describe('outgoing SIP calls', () => {
  it('ring until the join timeout and start when they are answered', async () => {
    const sip = await started();
    const call = sip.place({ joinTimeoutMs: 10_000 });
    await sip.settled(() => sip.placed.length > 0);
    const [invite] = sip.placed;
    expect(invite).toMatchObject({
      to: SPEC.to,
      from: SPEC.from,
      credentials: { username: 'trunk', password: 'secret' },
      ringLimitMs: 9800,
    });
    const dialog = new FakeDialog();
    await sip.clock.advance(2000);
    invite?.answer({ kind: 'answered', sdp: AUDIO, dialog });
    await sip.settled(() => call.isJoined);
    await sip.clock.advance(5000);
    dialog.end('remote');
    await sip.clock.advance(100);
    await sip.settled(() => sip.stored.size > 0);
    const logKey = `sip-logs/${call.spec.accountId}/${call.callId}.txt`;
    expect(sip.ended).toMatchObject({
      endReason: 'hangup',
      sip: { durationMs: 7000, terminationReason: 'SIP_TERMINATION_NORMAL', logKey },
    });
    expect(sip.stored.get(logKey)).toContain('INVITE sip:ann@pbx.test');
    expect([sip.counted, sip.service.size]).toEqual([['outgoing NORMAL'], 0]);
  });

  it('end when they are rejected, or answered without audio', async () => {
    const busy = await started();
    busy.place();
    await busy.settled(() => busy.placed.length > 0);
    busy.placed[0]?.answer({ kind: 'failed', cause: 'refused', status: 486, reason: 'Busy Here' });
    await busy.settled(() => busy.service.size === 0);
    expect(busy.ended).toMatchObject({
      endReason: 'unjoined',
      sip: { terminationReason: 'SIP_TERMINATION_BUSY' },
    });

    const deaf = await started();
    deaf.place();
    await deaf.settled(() => deaf.placed.length > 0);
    const dialog = new FakeDialog();
    deaf.placed[0]?.answer({ kind: 'answered', sdp: NO_AUDIO, dialog });
    await deaf.settled(() => deaf.service.size === 0);
    expect([dialog.byes, deaf.counted]).toEqual([1, ['outgoing UNKNOWN']]);
    expect(deaf.published).toMatchObject([
      { eventType: 'sip_message', text: 'Sent: INVITE sip:ann@pbx.test SIP/2.0' },
      { eventType: 'not_reached' },
      { endReason: 'unjoined' },
    ]);
  });

  it.each([
    [
      'send BYE at their end when the bus does not respond',
      () => new Promise<never>(() => undefined),
      'local',
    ],
    [
      'send BYE at their end when the lease cannot be read',
      () => Promise.reject(new Error('no bus')),
      'local',
    ],
    [
      'send no BYE at their end when another worker continued them while this one was paused',
      () => Promise.resolve(false),
      'released',
    ],
  ])('%s', async (_, holds, by) => {
    const sip = await started({ holds });
    const call = sip.place();
    await sip.settled(() => sip.placed.length > 0);
    const dialog = new FakeDialog();
    sip.placed[0]?.answer({ kind: 'answered', sdp: AUDIO, dialog });
    await sip.settled(() => call.isJoined);
    call.end('agent_hangup');
    await sip.clock.advance(1000);
    expect(await dialog.ended).toEqual({ by });
    expect(dialog.byes > 0).toBe(by === 'local');
  });

  it('are cancelled when they end before the answer', async () => {
    const sip = await started();
    const call = sip.place();
    await sip.settled(() => sip.placed.length > 0);
    call.end('agent_hangup');
    await sip.settled(() => sip.service.size === 0);
    expect(sip.placed[0]?.cancelled()).toBe(true);
    expect([sip.ended, sip.counted]).toMatchObject([{ endReason: 'unjoined' }, ['outgoing CANCELED']]);
  });

  it('are not dialled when they end immediately', async () => {
    const sip = await started();
    sip.place().end('agent_hangup');
    await sip.settled(() => sip.service.size === 0);
    expect([sip.placed, sip.counted]).toEqual([[], []]);
    expect(sip.ended).not.toHaveProperty('sip');
  });

  it('are released without BYE when they are handed over, and their stored state remains', async () => {
    const sip = await started();
    const call = sip.place();
    await sip.settled(() => sip.placed.length > 0);
    const dialog = new FakeDialog();
    sip.placed[0]?.answer({ kind: 'answered', sdp: AUDIO, dialog });
    await sip.settled(() => call.isJoined && sip.records.size > 0);
    expect(JSON.stringify([...sip.records.values()])).not.toContain('pbx.test');
    call.handOver();
    expect(await call.released).toEqual({ kind: 'handed_over' });
    await call.disconnect();
    await sip.settled(() => sip.service.size === 0);
    expect([dialog.byes, sip.ended, sip.counted]).toEqual([0, undefined, []]);
    expect([...sip.records.keys()]).toEqual([call.callId]);
  });

  it('have no stored state when they have ended', async () => {
    const sip = await started();
    const call = sip.place();
    await sip.settled(() => sip.placed.length > 0);
    const dialog = new FakeDialog();
    sip.placed[0]?.answer({ kind: 'answered', sdp: AUDIO, dialog });
    await sip.settled(() => sip.records.size > 0);
    dialog.end('remote');
    expect(await call.released).toMatchObject({ kind: 'ended' });
    await sip.settled(() => sip.service.size === 0);
    expect(sip.records.size).toBe(0);
  });
});

describe('incoming SIP calls', () => {
  it('start when a control-plane creates them', async () => {
    const sip = await started({ ask: creates });
    const { said, dialog } = sip.invite();
    await sip.settled(() => said.length === 2);
    expect([said, sip.slots.used]).toEqual([['180', '200'], 1]);
    await sip.settled(() => sip.published.some(({ type }) => type === 'joined'));
    dialog.end('remote');
    await sip.clock.advance(100);
    await sip.settled(() => sip.service.size === 0);
    expect(sip.ended).toMatchObject({
      endReason: 'hangup',
      sip: { terminationReason: 'SIP_TERMINATION_NORMAL' },
    });
    expect(sip.counted).toEqual(['incoming NORMAL']);
  });

  it.each([
    ['no room', { capacity: 1, full: true }, {}, '503', 'no_room'],
    ['no audio', {}, { sdp: NO_AUDIO }, '488', 'refused'],
    ['no control-plane', {}, {}, '503', 'failed'],
    [
      'a rejection by the control-plane',
      { ask: () => Promise.resolve({ kind: 'reject', status: 404, reason: 'No' } as const) },
      {},
      '404',
      'refused',
    ],
    ['an error of the control-plane', { ask: () => Promise.reject(new Error('oops')) }, {}, '503', 'failed'],
  ] as const)(
    'are refused because of %s, and reserve no slot',
    async (_why, { ...given }, invite, status, counted) => {
      const { full, ...options } = { full: false, ...given };
      const sip = await started(options);
      if (full) sip.slots.tryReserve('priority');
      const { said } = sip.invite(invite);
      await sip.settled(() => sip.service.size === 0);
      expect([said, sip.counted, sip.slots.used]).toEqual([[status], [counted], full ? 1 : 0]);
      expect(sip.stored.size).toBe(0);
    },
  );

  it('are rejected by a draining worker', async () => {
    const sip = await started({ ask: creates });
    sip.service.setHost(null);
    expect([sip.invite().said, sip.counted]).toEqual([['503'], ['draining']]);
  });

  it('end with `unjoined` when the caller cancels', async () => {
    const sip = await started({ ask: creates });
    sip.invite({ accept: () => Promise.reject(new SipError('call_cancelled', 'the caller gave up')) });
    await sip.settled(() => sip.service.size === 0);
    expect(sip.ended).toMatchObject({
      endReason: 'unjoined',
      sip: { terminationReason: 'SIP_TERMINATION_CANCELED' },
    });
    expect(sip.counted).toEqual(['incoming CANCELED']);
  });

  it('end with UNKNOWN when the caller never sends ACK', async () => {
    const sip = await started({ ask: creates });
    sip.invite({ accept: () => Promise.reject(new SipError('not_acknowledged', 'no ACK')) });
    await sip.settled(() => sip.service.size === 0);
    // The default of `joinTimeout` is shorter than the wait for the ACK.
    const overdue = await started({ ask: creates });
    const [accepting, accepted] = [Promise.withResolvers<undefined>(), Promise.withResolvers<Dialog>()];
    const accept = (): Promise<Dialog> => {
      accepting.resolve(undefined);
      return accepted.promise;
    };
    overdue.invite({ accept });
    await accepting.promise;
    await overdue.clock.advance(32_000);
    accepted.reject(new SipError('not_acknowledged', 'no ACK'));
    for (const { ended } of [sip, overdue])
      expect(ended).toMatchObject({
        endReason: 'unjoined',
        sip: { terminationReason: 'SIP_TERMINATION_UNKNOWN' },
      });
  });
});

describe('the calls of a draining worker', () => {
  it('are checked after a pause of the process, because other workers may have taken them', async () => {
    const sip = await started();
    sip.service.setHost(null);
    await sip.service.checkLeases();
    expect(sip.checks).toBe(1);
  });
});
