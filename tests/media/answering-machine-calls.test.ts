import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AnsweringMachineSpec, CallSpec } from '@calls/api-contract/call-spec';
import { concatSamples } from '@calls/audio/pcm';
import { createCallSeal } from '@calls/bus/call-seal';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';
import { silence } from '@calls/testkit/speech/shaping';
import { eventually } from '../support/eventually.ts';
import { SipPeer } from '../support/sip/sip-peer.ts';
import { recording } from '../support/telephony/greetings.ts';
import { WorkerPool } from '../support/worker-pool.ts';

const seal = createCallSeal([WorkerPool.secret]);
const MESSAGE = 'This is Ada. Please call us back.';

let pool: WorkerPool;
let peer: SipPeer;
beforeAll(async () => {
  [pool, peer] = await Promise.all([WorkerPool.open(), SipPeer.open()]);
  await pool.atLeast(1);
});
afterAll(async () => {
  await peer[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
});

async function place(answeringMachine: AnsweringMachineSpec): Promise<CallSpec> {
  const spec = callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local' }),
    firstSpeaker: {
      who: 'agent',
      text: 'Hello, this is Ada.',
      prompt: null,
      delayMs: 0,
      uninterruptible: false,
    },
    medium: {
      kind: 'sip',
      direction: 'outgoing',
      to: `sip:ann@127.0.0.1:${peer.port}`,
      from: 'sip:agent@calls.test',
      username: null,
      password: null,
      dtmf: null,
    },
    answeringMachine,
  });
  await pool.bus.createdCalls.publish(seal.seal({ admissionClass: 'standard', spec }), spec.callId);
  return spec;
}

/** The log of the call once it has ended. */
function logOf({ callId }: CallSpec) {
  return eventually(async () => {
    const bodies = (await pool.bus.callLogs.read(callId)).map(({ event }) => event.body);
    expect(bodies.at(-1)?.type).toBe('ended');
    return bodies;
  });
}

describe('an outgoing SIP call answered by voicemail', () => {
  it('leaves its message after the beep and hangs up', async () => {
    const call = await place({
      onMachine: 'leave_message',
      message: MESSAGE,
      onIvr: 'continue',
      onScreening: 'continue',
    });
    const intro = await recording('en', 'vm-intro');
    const beep = await recording('en', 'beep');
    const greeting = concatSamples([silence(500, 8000), intro, silence(300, 8000), beep]);
    const { dialog } = await peer.take(await peer.invited(), greeting);
    expect(await dialog.ended).toEqual({ by: 'remote' });
    const log = await logOf(call);
    const answered = log.filter((body) => body.type === 'noted' && body.eventType === 'answered_by');
    expect(answered.at(-1)).toMatchObject({ extras: { answeredBy: 'machine' } });
    const messages = log.flatMap((body) => (body.type === 'message_added' ? [body.message] : []));
    // The transcript of the greeting may be final only after the message has been spoken.
    const spoken = messages.filter(({ role }) => role === 'MESSAGE_ROLE_AGENT');
    expect(spoken.at(-1)).toMatchObject({ text: MESSAGE });
    expect(log.at(-1)).toMatchObject({ type: 'ended', endReason: 'agent_hangup' });
  });
});
