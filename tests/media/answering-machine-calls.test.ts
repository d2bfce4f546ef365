import { afterAll, describe, expect, it } from '@jest/globals';
import type { AnsweringMachineSpec, CallSpec } from '@calls/api-contract/call-spec';
import { concatSamples } from '@calls/audio/pcm';
import { agentSpeaksFirst, callSpec, sipSpec, stageSpec } from '@calls/testkit/call-spec';
import { silence } from '@calls/testkit/speech/shaping';
import { SipPeer } from '../support/sip/sip-peer.ts';
import { recording } from '../support/telephony/greetings.ts';
import { WorkerPool } from '../support/worker-pool.ts';
const MESSAGE = 'This is Ada. Please call us back.';

const LINE_HZ = 8000;
/** The mailbox waits for a message, longer than the agent's. */
const MESSAGE_LIMIT_MS = 8000;
/** Detection takes longer gaps in a greeting for pauses of a person. */
const MAX_GAP_MS = 300;
const MAX_CALLS = 5;

const [pool, peer] = await Promise.all([WorkerPool.open(), SipPeer.open()]);
await pool.atLeast(1);
// Before a call waits for an answer: the start of a program can take seconds.
const greeting = concatSamples([
  ...[silence(500, LINE_HZ), await recording('en', 'vm-intro')],
  ...[silence(300, LINE_HZ), await recording('en', 'beep'), silence(MESSAGE_LIMIT_MS, LINE_HZ)],
]);
afterAll(async () => {
  await peer[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
});

async function place(answeringMachine: AnsweringMachineSpec): Promise<CallSpec> {
  const spec = callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local' }),
    firstSpeaker: agentSpeaksFirst('Hello, this is Ada.'),
    medium: sipSpec({ to: `sip:ann@127.0.0.1:${peer.port}` }),
    answeringMachine,
  });
  await pool.queue(spec);
  return spec;
}

/**
 * Calls a mailbox. Calls it again if this process was too busy to play its greeting without gaps and no machine was
 * detected. Resolves with the call, which the agent has ended.
 */
async function callMailbox(answeringMachine: AnsweringMachineSpec): Promise<CallSpec> {
  for (let calls = 0; calls < MAX_CALLS; calls += 1) {
    const call = await place(answeringMachine);
    const { dialog, played } = await peer.take(await peer.invited(), greeting);
    const first = await Promise.race([dialog.ended, played]);
    if ('longestGapMs' in first) {
      const answer = await lastAnswer(call);
      if (answer !== 'machine' && first.longestGapMs > MAX_GAP_MS) {
        await dialog.bye();
        continue;
      }
      expect({ answer, messages: await messagesOf(call) }).toMatchObject({ answer: 'machine' });
    }
    expect(await dialog.ended).toEqual({ by: 'remote' });
    return call;
  }
  throw new Error(`this process played ${MAX_CALLS} greetings with gaps of over ${MAX_GAP_MS} ms`);
}

async function messagesOf(call: CallSpec): Promise<unknown[]> {
  return (await pool.logOf(call)).flatMap((body) =>
    body.type === 'message_added' ? [body.message.text] : [],
  );
}

async function lastAnswer(call: CallSpec): Promise<unknown> {
  return (await pool.logOf(call))
    .flatMap((body) =>
      body.type === 'noted' && body.eventType === 'answered_by' ? [body.extras?.['answeredBy']] : [],
    )
    .at(-1);
}

describe('an outgoing SIP call answered by voicemail', () => {
  it('leaves its message after the beep and hangs up', async () => {
    const call = await callMailbox({
      onMachine: 'leave_message',
      message: MESSAGE,
      onIvr: 'continue',
      onScreening: 'continue',
    });
    const log = await pool.endedLogOf(call);
    expect(await lastAnswer(call)).toBe('machine');
    const messages = log.flatMap((body) => (body.type === 'message_added' ? [body.message] : []));
    // The transcript of the greeting may be final only after the message has been spoken.
    const spoken = messages.filter(({ role }) => role === 'MESSAGE_ROLE_AGENT');
    expect(spoken.at(-1)).toMatchObject({ text: MESSAGE });
    expect(log.at(-1)).toMatchObject({ type: 'ended', endReason: 'agent_hangup' });
  });
});
