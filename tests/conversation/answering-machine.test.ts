import { describe, expect, it } from '@jest/globals';
import { agentSpeaksFirst } from '@calls/testkit/call-spec';
import type { AnsweringMachineSpec } from '@calls/api-contract/call-spec';
import {
  expectNothingLeft,
  resumeCall,
  startCall,
  type ScriptedCall,
  type Scripts,
} from '../support/scripted-call.ts';

const SETTINGS: AnsweringMachineSpec = {
  onMachine: 'continue',
  message: '',
  onIvr: 'continue',
  onScreening: 'continue',
};
const LEAVE = { onMachine: 'leave_message', message: 'Ada here. Please call us back.' } as const;
const GREETING = 'Good morning, this is Ada of the little hotel, I am calling about your room.';

function outgoingCall(settings: Partial<AnsweringMachineSpec>, scripts: Scripts = {}): ScriptedCall {
  const firstSpeaker = agentSpeaksFirst(GREETING);
  const answeringMachine = { ...SETTINGS, ...settings };
  return startCall({ ...scripts, spec: { firstSpeaker, answeringMachine, ...scripts.spec } });
}

/** All reported results: what answered, and the evidence for it. */
function reportsOf(call: ScriptedCall): string[] {
  return call.noted('answered_by').map((event) => {
    const extras = event.type === 'noted' ? event.extras : null;
    return `${String(extras?.['answeredBy'])}: ${String(extras?.['evidence'])}`;
  });
}

async function play(call: ScriptedCall, samples: Int16Array): Promise<void> {
  for (let at = 0; at < samples.length; at += 320) {
    call.transport.hear(samples.slice(at, at + 320));
    await call.clock.advance(20);
  }
}

const beep = Int16Array.from(
  { length: 16 * 400 },
  (_, i) => 6000 * Math.sin((2 * Math.PI * 1000 * i) / 16_000),
);

describe('answering machine detection', () => {
  it('reports a human after a short greeting, and lets the agent respond', async () => {
    const call = outgoingCall({ onMachine: 'hang_up' }, { stt: ['hello'], llm: ['Nice to hear you.'] });
    await call.transport.silence(call.clock, 300);
    await call.transport.speak(call.clock, 500);
    await call.transport.silence(call.clock, 3000);
    expect(reportsOf(call)).toEqual(['human: short_greeting']);
    // The greeting does not wait for the user's "hello", which begins at 300 ms.
    expect(call.transport.frames[0]?.atMs).toBeLessThan(300);
    expect(call.outcome).toBeNull();
    expect(call.messages).toContain('AGENT: Nice to hear you.');
    await call.hangUp();
    expect(reportsOf(call)).toHaveLength(1);
    expectNothingLeft(call);
  });

  it('leaves the message after the beep and hangs up', async () => {
    const call = outgoingCall(LEAVE, { stt: ['you have reached the smiths'], llm: ['I am sorry?'] });
    await call.transport.silence(call.clock, 300);
    await call.transport.speak(call.clock, 4000);
    expect(reportsOf(call)).toEqual(['machine: long_greeting']);
    await call.transport.silence(call.clock, 1000);
    expect(reportsOf(call)).toEqual(['machine: long_greeting', 'machine: words']);
    expect(call.messages.at(-1)).toBe('USER: you have reached the smiths');
    const beepAtMs = call.clock.nowMs();
    await play(call, beep);
    expect(call.transport.playedMs(beepAtMs, call.clock.nowMs())).toBe(0);
    await call.transport.silence(call.clock, 8000);
    expect(call.messages.at(-1)).toBe(`AGENT: ${LEAVE.message}`);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expect(call.messages.join()).not.toContain('sorry');
    expectNothingLeft(call);
  });

  it('leaves the message when the greeting ends without a beep', async () => {
    const call = outgoingCall(LEAVE, { stt: ['good day', 'we are away'] });
    await call.transport.speak(call.clock, 3000);
    await call.transport.silence(call.clock, 1500);
    await call.transport.speak(call.clock, 2000);
    await call.transport.silence(call.clock, 2000);
    expect(call.messages.join()).not.toContain(LEAVE.message);
    await call.transport.silence(call.clock, 8000);
    expect(call.messages.at(-1)).toBe(`AGENT: ${LEAVE.message}`);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });

  it('stops an uninterruptible greeting when a machine answers', async () => {
    const firstSpeaker = {
      who: 'agent',
      text: GREETING,
      prompt: null,
      delayMs: 0,
      uninterruptible: true,
    } as const;
    const call = outgoingCall(LEAVE, { stt: ['good day'], spec: { firstSpeaker } });
    await call.transport.speak(call.clock, 2000);
    expect(call.transport.states.at(-1)).toBe('listening');
    const agent = call.messages.find((text) => text.startsWith('AGENT: '));
    expect(agent).not.toBe(`AGENT: ${GREETING}`);
    await call.hangUp();
  });

  it('hangs up on a machine once words confirm it', async () => {
    const call = outgoingCall(
      { onMachine: 'hang_up' },
      { stt: ['the person you are calling is not available'] },
    );
    await call.transport.speak(call.clock, 3000);
    expect(reportsOf(call)).toEqual(['machine: long_greeting']);
    expect(call.outcome).toBeNull();
    await call.transport.silence(call.clock, 500);
    expect(reportsOf(call)).toEqual(['machine: long_greeting', 'machine: words']);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });

  it('lets the agent respond to a screening assistant that the timing classified as a machine', async () => {
    const call = outgoingCall(
      { onMachine: 'hang_up' },
      { stt: ['please state your name and why you are calling'], llm: ['Ada of the little hotel.'] },
    );
    await call.transport.speak(call.clock, 3500);
    expect(reportsOf(call)).toEqual(['machine: long_greeting']);
    await call.transport.silence(call.clock, 4000);
    expect(reportsOf(call)).toEqual(['machine: long_greeting', 'screening: words']);
    expect(call.messages.slice(-2)).toEqual([
      'USER: please state your name and why you are calling',
      'AGENT: Ada of the little hotel.',
    ]);
    expect(call.outcome).toBeNull();
    await call.hangUp();
  });

  it('hangs up on a phone menu when onIvr is hang_up', async () => {
    const call = outgoingCall({ onIvr: 'hang_up' }, { stt: ['for sales press one'] });
    await call.transport.speak(call.clock, 1500);
    await call.transport.silence(call.clock, 1000);
    expect(reportsOf(call)).toEqual(['ivr: words']);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });

  it('reports unknown after silence and when the call ends before a result', async () => {
    const silent = outgoingCall({ onMachine: 'hang_up' });
    await silent.transport.silence(silent.clock, 6000);
    expect(reportsOf(silent)).toEqual(['unknown: silence']);
    await silent.hangUp();
    const short = outgoingCall({ onMachine: 'hang_up' });
    await short.transport.silence(short.clock, 500);
    await short.hangUp();
    expect(reportsOf(short)).toEqual(['unknown: call_ended']);
    for (const call of [silent, short]) expectNothingLeft(call);
  });

  it('reports no result unless the call enables it', async () => {
    const call = startCall({ stt: ['you have reached the smiths'], llm: ['Hello?'] });
    await call.transport.speak(call.clock, 3000);
    await call.transport.silence(call.clock, 1000);
    expect(reportsOf(call)).toEqual([]);
    await call.hangUp();
  });
});

describe('answering machine detection after a reconnect', () => {
  /** Loses the connection and reconnects. */
  async function reconnected(call: ScriptedCall, awayMs = 1000): Promise<ScriptedCall> {
    await call.loseConnection();
    await call.clock.advance(awayMs);
    return resumeCall(call);
  }

  it('continues when there was no result', async () => {
    const lost = outgoingCall({}, { stt: ['hello'], llm: ['Nice to hear you.'] });
    await lost.transport.silence(lost.clock, 300);
    expect(reportsOf(lost)).toEqual([]);
    const call = await reconnected(lost);
    await call.transport.speak(call.clock, 500);
    await call.transport.silence(call.clock, 2000);
    expect(reportsOf(call)).toEqual(['human: short_greeting']);
    await call.hangUp();
  });

  it('corrects the earlier result', async () => {
    const lost = outgoingCall({}, { stt: ['good day', 'please leave a message after the tone'] });
    await lost.transport.speak(lost.clock, 500);
    await lost.transport.silence(lost.clock, 1500);
    expect(reportsOf(lost)).toEqual(['human: short_greeting']);
    const call = await reconnected(lost);
    await call.transport.speak(call.clock, 1500);
    await call.transport.silence(call.clock, 1000);
    expect(reportsOf(call)).toEqual(['human: short_greeting', 'machine: words']);
    await call.hangUp();
  });

  it('reports unknown when the reconnect is too late to detect an answer', async () => {
    const lost = outgoingCall({}, { llm: ['Hello?'] });
    await lost.transport.silence(lost.clock, 300);
    const call = await reconnected(lost, 40_000);
    await call.transport.silence(call.clock, 500);
    expect(reportsOf(call)).toHaveLength(1);
    expect(reportsOf(call)[0]).toMatch(/^unknown: /u);
    await call.hangUp();
    expect(reportsOf(call)).toHaveLength(1);
    expectNothingLeft(call);
  });

  it('leaves the message that was pending on the first connection', async () => {
    const lost = outgoingCall(LEAVE, { stt: ['you have reached the smiths'], llm: ['Sorry?', 'Sorry?'] });
    await lost.transport.speak(lost.clock, 3000);
    await lost.transport.silence(lost.clock, 600);
    expect(reportsOf(lost).at(-1)).toBe('machine: words');
    const call = await reconnected(lost);
    await call.transport.silence(call.clock, 1000);
    expect(call.transport.playedMs()).toBe(0);
    await play(call, beep);
    await call.transport.silence(call.clock, 8000);
    expect(call.messages.at(-1)).toBe(`AGENT: ${LEAVE.message}`);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expect(call.messages.join()).not.toContain('orry');
    expectNothingLeft(call);
  });
});
