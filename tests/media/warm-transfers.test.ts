import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import {
  TRANSFER_LEG_REQUEST,
  type TransferLegReplyMessage,
  type TransferLegRequestMessage,
} from '@calls/api-contract/bus/transfer-legs';
import type { CallSpec } from '@calls/api-contract/call-spec';
import { WARM_TRANSFER_DEFAULTS, type WarmTransferParameters } from '@calls/api-contract/rest/warm-transfer';
import { createTransferLegSeal } from '@calls/bus/call-seal';
import { callSpec, sipSpec, stageSpec } from '@calls/testkit/call-spec';
import { eventually } from '../support/eventually.ts';
import { SipPeer, type PeerCall } from '../support/sip/sip-peer.ts';
import { powerAt, tone } from '../support/tones.ts';
import { builtInTool } from '../support/scripted-tools.ts';
import { WorkerPool } from '../support/worker-pool.ts';

const [USER_HZ, PERSON_HZ] = [700, 1900];
/** Longer than any test. */
const TONE_MS = 60_000;
const legSeal = createTransferLegSeal([WorkerPool.secret]);

/** The responses of the control-plane, and the requests to it. */
let answers: () => TransferLegReplyMessage;
const asked: TransferLegRequestMessage[] = [];

const [pool, ann, bob] = await Promise.all([WorkerPool.open(), SipPeer.open(), SipPeer.open()]);
await pool.atLeast(1);
pool.bus.requests.respond(TRANSFER_LEG_REQUEST, (question) => {
  asked.push(question);
  return Promise.resolve(legSeal(question.legId).seal(answers()));
});
await pool.bus.connection.ping();
afterEach(() => {
  asked.length = 0;
});
afterAll(async () => {
  for (const part of [ann, bob, pool]) await part[Symbol.asyncDispose]();
});

/** A tone at 8 kHz. `tone` generates samples for 16 kHz, so the frequency is doubled. */
const phoneTone = (hz: number): Int16Array => tone(2 * hz, TONE_MS / 2);
const uriOf = (peer: SipPeer, user: string): string => `sip:${user}@127.0.0.1:${peer.port}`;
const throughTrunk = (to: string): TransferLegReplyMessage => ({
  ...{ kind: 'trunk', to, from: 'sip:4930555@trunk.test', username: null, password: null },
});

function transferTool(settings: Partial<WarmTransferParameters>) {
  const body = { location: 'PARAMETER_LOCATION_BODY' } as const;
  return builtInTool('warmTransfer', {
    dynamicParameters: ['target', 'summary'].map((name) => ({ ...body, name, schema: { type: 'string' } })),
    staticParameters: Object.entries({ ...WARM_TRANSFER_DEFAULTS, ...settings }).map(([name, value]) => ({
      ...body,
      name,
      value,
    })),
  });
}

/** Starts an outgoing call to Ann. Her phone plays a tone. */
async function callAnn(settings: Partial<WarmTransferParameters>): Promise<[CallSpec, PeerCall]> {
  const call = callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local', tools: [transferTool(settings)] }),
    firstSpeaker: { who: 'user', fallback: null },
    medium: sipSpec({ to: uriOf(ann, 'ann') }),
  });
  await pool.queue(call);
  return [call, await ann.take(await ann.invited(), phoneTone(USER_HZ))];
}

/** The agent calls the tool. */
async function transfer({ callId }: CallSpec, target: string): Promise<void> {
  const toolCalls = [{ name: 'warmTransfer', arguments: { target, summary: 'Ann wants a refund.' } }];
  const message = { type: 'forced_agent_message', content: '', toolCalls } as const;
  await eventually(async () =>
    expect(await pool.bus.commands.send(callId, { kind: 'send_message', message })).toEqual({
      outcome: 'accepted',
    }),
  );
}

/** Waits for an event of the call and returns its details. */
function noted(call: CallSpec, eventType: string): Promise<Record<string, unknown> | null> {
  return eventually(async () => {
    const event = (await pool.logOf(call)).find(
      (body) => body.type === 'noted' && body.eventType === eventType,
    );
    if (event?.type !== 'noted') throw new Error(`there is no event ${eventType}`);
    return event.extras;
  });
}

/** Waits until the call receives the tone of the other party but not its own. */
function expectTone(call: PeerCall, hz: number, ownHz: number): Promise<void> {
  return eventually(() => {
    expect(powerAt(call.newest, hz)).toBeGreaterThan(100 * powerAt(call.newest, ownHz));
    return Promise.resolve();
  });
}

describe('a warm transfer by SIP', () => {
  it('calls a person through a trunk and connects them once they press 1', async () => {
    answers = () => throughTrunk(uriOf(bob, '4930777'));
    const [call, user] = await callAnn({ from: '+4930555' });
    await transfer(call, '+4930777');
    const invite = await bob.invited();
    expect([invite.to.user, invite.from.user]).toEqual(['4930777', '4930555']);
    expect(asked).toMatchObject([
      { callId: call.callId, target: '+4930777', trunkId: null, from: '+4930555' },
    ]);
    // The user hears music while the phone rings.
    invite.ring();
    await user.audioReceived;
    const person = await bob.take(invite, phoneTone(PERSON_HZ));
    await person.audioReceived;
    expect(await person.dialog.info('application/dtmf-relay', 'Signal=1\r\nDuration=160')).toBe(true);
    await noted(call, 'warm_transfer_connected');
    await expectTone(user, PERSON_HZ, USER_HZ);
    await expectTone(person, USER_HZ, PERSON_HZ);
    await person.dialog.bye();
    expect(await noted(call, 'warm_transfer_ended')).toMatchObject({ outcome: 'person_left' });
    // The user is back with the agent.
    await user.dialog.bye();
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({ endReason: 'hangup' });
  });

  it.each([
    [486, 'Busy Here', 'busy'],
    [603, 'Decline', 'declined'],
    [480, 'Temporarily Unavailable', 'no_answer'],
    [403, 'Forbidden', 'refused'],
    [404, 'Not Found', 'unreachable'],
  ])('returns the user to the agent when the person is not reached: %i', async (status, reason, outcome) => {
    answers = () => throughTrunk(uriOf(bob, '4930777'));
    const [call, user] = await callAnn({});
    await transfer(call, '+4930777');
    (await bob.invited()).reject(status, reason);
    expect(await noted(call, 'warm_transfer_ended')).toMatchObject({ outcome, talkedMs: 0 });
    // The agent receives the result of the tool.
    await eventually(async () => {
      const results = (await pool.logOf(call)).flatMap((body) =>
        body.type === 'message_added' && body.message.role === 'MESSAGE_ROLE_TOOL_RESULT'
          ? [body.message.text]
          : [],
      );
      expect(results).toEqual([expect.stringContaining('The user is with you again.')]);
    });
    await user.dialog.bye();
  });

  it('cancels the call to the person when the user hangs up', async () => {
    answers = () => ({ kind: 'no_trunk' });
    const [call, user] = await callAnn({});
    await transfer(call, uriOf(bob, 'bob'));
    const invite = await bob.invited();
    expect(invite.from.uri).toBe('sip:agent@calls.test');
    invite.ring();
    await user.dialog.bye();
    await invite.cancelled;
    expect(await noted(call, 'warm_transfer_ended')).toMatchObject({ outcome: 'call_ended' });
  });

  it('hangs up the person when the user hangs up', async () => {
    answers = () => ({ kind: 'no_trunk' });
    const [call, user] = await callAnn({ acceptance: 'automatic' });
    await transfer(call, uriOf(bob, 'bob'));
    const person = await bob.take(await bob.invited());
    await noted(call, 'warm_transfer_connected');
    await user.dialog.bye();
    expect(await person.dialog.ended).toEqual({ by: 'remote' });
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({ endReason: 'hangup' });
  });

  it('is refused with the reason of the control-plane', async () => {
    answers = () => ({
      kind: 'refused',
      detail: 'The maximum number of live calls of the SIP trunk is reached.',
    });
    const [call, user] = await callAnn({});
    await transfer(call, '+4930777');
    expect(await noted(call, 'warm_transfer_ended')).toMatchObject({
      outcome: 'refused',
      detail: 'The maximum number of live calls of the SIP trunk is reached.',
    });
    await user.dialog.bye();
  });

  it('hangs up the person when the worker is killed, and the user continues with the agent', async () => {
    answers = () => ({ kind: 'no_trunk' });
    await pool.atLeast(2);
    const [call, user] = await callAnn({ acceptance: 'automatic' });
    await transfer(call, uriOf(bob, 'bob'));
    const person = await bob.take(await bob.invited());
    await noted(call, 'warm_transfer_connected');
    const { workerId = '' } = (await pool.bus.leases.find(call.callId))?.holder ?? {};
    await eventually(async () => expect(await pool.bus.dialogs.of(workerId)).toHaveLength(2));
    const [owner] = await pool.workersOf(call);
    await pool.lose(owner);
    expect(await person.dialog.ended).toEqual({ by: 'remote' });
    await eventually(async () =>
      expect((await pool.logOf(call)).map(({ type }) => type)).toContain('taken_over'),
    );
    await eventually(async () => expect(await pool.bus.dialogs.of(workerId)).toEqual([]));
    await user.dialog.bye();
    expect((await pool.endedLogOf(call)).at(-1)).toMatchObject({ endReason: 'hangup' });
  });
});
