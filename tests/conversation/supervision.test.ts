import { describe, expect, it } from '@jest/globals';
import type { SupervisionMode } from '@calls/api-contract/rest/supervision';
import type {
  SupervisionMessage,
  SupervisorMessage,
} from '@calls/api-contract/supervision/supervisor-messages';
import { concatSamples, samplesFromBytes } from '@calls/audio/pcm';
import type { SupervisedCall, SupervisionEnd } from '@calls/conversation/ports/supervisor';
import { MAX_SUPERVISORS } from '@calls/conversation/session/supervision';
import { expectNothingLeft, resumeCall, startCall, type ScriptedCall } from '../support/scripted-call.ts';
import { powerAt, tone } from '../support/tones.ts';

const [USER_HZ, SUPERVISOR_HZ] = [700, 1900];

function supervise(call: ScriptedCall, mode: SupervisionMode, supervisorId = 'ann') {
  const messages: SupervisionMessage[] = [];
  const pcm: { atMs: number; samples: Int16Array }[] = [];
  const ends: SupervisionEnd[] = [];
  const supervised = call.session.supervise({
    supervisorId,
    name: 'Ann',
    mode,
    sampleRateHz: 16_000,
    writeAudio: (bytes) => pcm.push({ atMs: call.clock.nowMs(), samples: samplesFromBytes(bytes) }),
    send: (message) => messages.push(message),
    end: (reason) => ends.push(reason),
  });
  if (typeof supervised === 'string') throw new Error(supervised);
  return {
    ...supervised,
    messages,
    pcm,
    ends,
    say: (message: SupervisorMessage) => supervised.receive(message),
    channel: (index: 0 | 1) =>
      concatSamples(pcm.map(({ samples }) => samples)).filter((_, i) => i % 2 === index),
    get refusals() {
      return messages.flatMap((message) => (message.type === 'refused' ? [message.reason] : []));
    },
  };
}

/** Plays the supervisor's audio in real time while the user is silent. */
async function speak(
  call: ScriptedCall,
  { speak: push }: Pick<SupervisedCall, 'speak'>,
  samples: Int16Array,
) {
  for (let at = 0; at < samples.length; at += 320) {
    push(samples.slice(at, at + 320));
    await call.transport.silence(call.clock, 20);
  }
}

async function hear(call: ScriptedCall, samples: Int16Array): Promise<void> {
  for (let at = 0; at < samples.length; at += 320) {
    call.transport.hear(samples.slice(at, at + 320));
    await call.clock.advance(20);
  }
}

const noticed = (call: ScriptedCall): string[] =>
  call.events.flatMap((event) =>
    event.type === 'noted' && /^(?:supervisor|call)_/u.test(event.eventType) ? [event.eventType] : [],
  );

describe('a supervisor who listens', () => {
  it('receives both sides of the call at most 200 ms late', async () => {
    const call = startCall({ stt: ['a table for two'], llm: ['Certainly, for what time?'] });
    await call.transport.silence(call.clock, 1000);
    const ann = supervise(call, 'listen');
    const startedMs = call.clock.nowMs();
    await hear(call, tone(USER_HZ, 1000));
    const arrived = ann.pcm.find(({ samples }) => samples.some((sample) => Math.abs(sample) > 100));
    expect(arrived?.atMs).toBeLessThanOrEqual(startedMs + 200);
    await call.untilSpeaking();
    const spokenMs = call.clock.nowMs();
    await call.transport.silence(call.clock, 200);
    const agent = ann.pcm.find(
      ({ atMs, samples }) => atMs >= spokenMs && samples.some((v, i) => i % 2 === 1 && v !== 0),
    );
    expect(agent?.atMs).toBeLessThanOrEqual(spokenMs + 200);
    await call.transport.silence(call.clock, 2000);
    expect(powerAt(ann.channel(0), USER_HZ)).toBeGreaterThan(1000 * powerAt(ann.channel(1), USER_HZ));
    expect(ann.messages).toContainEqual(
      expect.objectContaining({ type: 'transcript', role: 'user', text: 'a table for two' }),
    );
    await call.hangUp();
    expect(ann.ends).toEqual(['call_ended']);
    expect(noticed(call)).toEqual(['supervisor_joined', 'supervisor_left']);
    // The client is not informed of the supervisor.
    expect(JSON.stringify(call.transport.messages)).not.toContain('supervisor');
    expectNothingLeft(call);
  });

  it('cannot whisper, take over or speak', async () => {
    const call = startCall({});
    const ann = supervise(call, 'listen');
    ann.say({ type: 'whisper', text: 'Offer breakfast.' });
    ann.say({ type: 'take_over' });
    ann.say({ type: 'hand_back' });
    expect(ann.refusals).toEqual(['not_allowed', 'not_allowed', 'not_taken_over']);
    await speak(call, ann, tone(SUPERVISOR_HZ, 500));
    expect(call.transport.playedMs()).toBe(0);
    const bob = supervise(call, 'whisper', 'bob');
    bob.say({ type: 'take_over' });
    expect(bob.refusals).toEqual(['not_allowed']);
    await call.hangUp();
  });

  it('receives no audio after leaving, and leaves only once', async () => {
    const call = startCall({});
    const ann = supervise(call, 'barge');
    await call.transport.silence(call.clock, 200);
    ann.leave();
    ann.leave();
    ann.say({ type: 'take_over' });
    const received = ann.pcm.length;
    await call.transport.silence(call.clock, 500);
    expect(ann.pcm.length).toBe(received);
    await call.hangUp();
    expect(noticed(call)).toEqual(['supervisor_joined', 'supervisor_left']);
    expectNothingLeft(call);
  });

  it('is rejected when the call has too many supervisors or the same one already', async () => {
    const call = startCall({});
    const all = Array.from({ length: MAX_SUPERVISORS }, (_, i) => supervise(call, 'listen', `s${i}`));
    expect(() => supervise(call, 'listen', 'one too many')).toThrow('too_many_supervisors');
    expect(() => supervise(call, 'listen', 's1')).toThrow('already_joined');
    all[0]?.leave();
    supervise(call, 'listen', 'next');
    await call.hangUp();
  });
});

describe('a whisper', () => {
  it('reaches the agent as an instruction that the user does not see', async () => {
    const call = startCall({ stt: ['a room please'], llm: ['With breakfast?', 'Of course.'] });
    const ann = supervise(call, 'whisper');
    ann.say({ type: 'whisper', text: 'Offer breakfast.', respond: false });
    await call.transport.silence(call.clock, 1000);
    expect(call.llm.requests).toHaveLength(0);
    await call.saySomething(3000);
    expect(call.llm.requests.at(-1)?.messages).toContainEqual({
      role: 'system',
      content: expect.stringContaining('Offer breakfast.'),
    });
    ann.say({ type: 'whisper', text: 'Ask for the name.' });
    await call.transport.silence(call.clock, 3000);
    expect(call.messages).toEqual([
      'UNSPECIFIED: Offer breakfast.',
      'USER: a room please',
      'AGENT: With breakfast?',
      'UNSPECIFIED: Ask for the name.',
      'AGENT: Of course.',
    ]);
    expect(call.transport.transcript).toEqual([
      'user: a room please',
      'agent: With breakfast?',
      'agent: Of course.',
    ]);
    expect(JSON.stringify(call.transport.messages)).not.toContain('Offer breakfast');
    expect(noticed(call)).toEqual(['supervisor_joined', 'supervisor_whispered', 'supervisor_whispered']);
    expect(JSON.stringify(call.events.filter(({ type }) => type === 'noted'))).not.toContain('breakfast');
    await call.hangUp();
  });

  it('is refused after 20 others in quick succession', async () => {
    const call = startCall({});
    const ann = supervise(call, 'whisper');
    for (let i = 0; i < 25; i += 1) ann.say({ type: 'whisper', text: `Note ${i}`, respond: false });
    expect(ann.refusals).toEqual(Array.from({ length: 5 }, () => 'too_many'));
    await call.hangUp();
  });
});

describe('a takeover', () => {
  it('stops the agent, plays the supervisor, and then gives the agent the conversation', async () => {
    const call = startCall({
      stt: ['a long question', 'this is Ann, I can help', 'thank you Ann'],
      llm: ['This is a very long answer that goes on and on and on and on.', 'Is there anything else?'],
    });
    const ann = supervise(call, 'barge');
    await call.saySomething();
    await call.untilSpeaking();
    ann.say({ type: 'take_over' });
    const takenMs = call.clock.nowMs();
    expect(ann.messages).toContainEqual({ type: 'call_taken_over', supervisorId: 'ann' });
    await speak(call, ann, tone(SUPERVISOR_HZ, 1000));
    await call.transport.silence(call.clock, 1000);
    const untilMs = call.clock.nowMs();
    const played = call.transport.playedAudio(untilMs).subarray(takenMs * 16);
    expect(powerAt(played, SUPERVISOR_HZ)).toBeGreaterThan(1000 * powerAt(played, USER_HZ));
    // The user responds; the agent is silent.
    await call.transport.speak(call.clock, 1000);
    await call.transport.silence(call.clock, 3000);
    expect(call.transport.playedMs(untilMs)).toBe(0);
    expect(call.llm.requests).toHaveLength(1);
    ann.say({ type: 'hand_back', instruction: 'The room is booked.' });
    await call.transport.silence(call.clock, 4000);
    expect(call.messages.slice(1)).toEqual([
      'AGENT: this is Ann, I can help',
      'USER: thank you Ann',
      expect.stringMatching(/^UNSPECIFIED: You have the call again.*The room is booked\.$/u),
      'AGENT: Is there anything else?',
    ]);
    expect(call.transport.transcript.slice(1)).toEqual([
      'agent: this is Ann, I can help',
      'user: thank you Ann',
      'agent: Is there anything else?',
    ]);
    // The supervisor does not receive her own audio.
    expect(powerAt(ann.channel(1), SUPERVISOR_HZ)).toBeLessThan(powerAt(played, SUPERVISOR_HZ) / 1000);
    await call.hangUp();
    expect(noticed(call)).toEqual([
      'supervisor_joined',
      'call_taken_over',
      'call_handed_back',
      'supervisor_left',
    ]);
    expectNothingLeft(call);
  });

  it('is limited to one supervisor, whose audio the others receive', async () => {
    const call = startCall({});
    const ann = supervise(call, 'barge');
    const bob = supervise(call, 'barge', 'bob');
    ann.say({ type: 'take_over' });
    bob.say({ type: 'take_over' });
    bob.say({ type: 'hand_back' });
    expect(bob.refusals).toEqual(['already_taken_over', 'not_taken_over']);
    await speak(call, ann, tone(SUPERVISOR_HZ, 600));
    await call.transport.silence(call.clock, 500);
    expect(powerAt(bob.channel(1), SUPERVISOR_HZ)).toBeGreaterThan(1e9);
    expect(powerAt(ann.channel(1), SUPERVISOR_HZ)).toBe(0);
    ann.say({ type: 'hand_back' });
    ann.say({ type: 'hand_back' });
    await call.transport.silence(call.clock, 500);
    bob.say({ type: 'take_over' });
    expect(noticed(call).filter((type) => type.startsWith('call_'))).toEqual([
      'call_taken_over',
      'call_handed_back',
      'call_taken_over',
    ]);
    await call.hangUp();
  });

  it('ends at the time limit, when the agent plays its message', async () => {
    const call = startCall({
      spec: { maxDurationMs: 5000 },
      stage: { timeExceededMessage: 'Our time is over. Goodbye.' },
    });
    const ann = supervise(call, 'barge');
    ann.say({ type: 'take_over' });
    await speak(call, ann, tone(SUPERVISOR_HZ, 7000));
    const played = call.transport.playedAudio(7000);
    expect(powerAt(played.subarray(0, 5000 * 16), SUPERVISOR_HZ)).toBeGreaterThan(1e10);
    expect(powerAt(played.subarray(5500 * 16), SUPERVISOR_HZ)).toBeLessThan(1e6);
    await call.transport.silence(call.clock, 5000);
    expect(call.messages.at(-1)).toBe('AGENT: Our time is over. Goodbye.');
    expect(call.outcome?.reason).toBe('timeout');
    expectNothingLeft(call);
  });

  it('ends when the supervisor disconnects', async () => {
    const call = startCall({ stt: ['Ann here', 'hello again'], llm: ['I am back.'] });
    const ann = supervise(call, 'barge');
    ann.say({ type: 'take_over' });
    await speak(call, ann, tone(SUPERVISOR_HZ, 600));
    ann.leave();
    await call.transport.silence(call.clock, 3000);
    expect(call.messages).toEqual([
      'AGENT: Ann here',
      expect.stringContaining('You have the call again'),
      'AGENT: I am back.',
    ]);
    await call.hangUp();
  });

  it('adds the supervisor’s last words to the history when the user hangs up', async () => {
    const call = startCall({ stt: ['goodbye'] });
    const ann = supervise(call, 'barge');
    ann.say({ type: 'take_over' });
    await speak(call, ann, tone(SUPERVISOR_HZ, 600));
    await call.hangUp();
    expect(call.messages).toEqual(['AGENT: goodbye']);
    expect(ann.ends).toEqual(['call_ended']);
    expectNothingLeft(call);
  });

  it('is refused during the final message', async () => {
    const call = startCall({});
    const ann = supervise(call, 'barge');
    call.session.receive({ type: 'hang_up', message: 'Goodbye, and thank you for your call.' });
    await call.untilSpeaking();
    ann.say({ type: 'take_over' });
    expect(ann.refusals).toEqual(['ending']);
    await call.transport.silence(call.clock, 5000);
    expect(call.outcome?.reason).toBe('agent_hangup');
    expectNothingLeft(call);
  });

  it('drops the oldest audio of a supervisor who sends faster than real time', async () => {
    const call = startCall({});
    const ann = supervise(call, 'barge');
    ann.say({ type: 'take_over' });
    ann.speak(tone(SUPERVISOR_HZ, 2000));
    await call.transport.silence(call.clock, 3000);
    expect(call.transport.playedMs()).toBeLessThanOrEqual(240);
    await call.hangUp();
  });

  it('prevents the hang-up by answering machine detection', async () => {
    const answeringMachine = {
      onMachine: 'hang_up',
      onIvr: 'hang_up',
      onScreening: 'hang_up',
      message: '',
    } as const;
    const call = startCall({ spec: { answeringMachine } });
    const ann = supervise(call, 'barge');
    ann.say({ type: 'take_over' });
    await call.transport.speak(call.clock, 15_000);
    expect(call.outcome).toBeNull();
    expect(call.transport.playedMs()).toBe(0);
    await call.hangUp();
    expect(call.noted('answered_by')).toHaveLength(1);
    expectNothingLeft(call);
  });

  it('ends with its session when the client disconnects', async () => {
    const call = startCall({ stt: ['hello'], llm: ['Back.'] });
    await call.saySomething(2000);
    const ann = supervise(call, 'barge');
    ann.say({ type: 'take_over' });
    await call.loseConnection();
    expect(ann.ends).toEqual(['interrupted']);
    expectNothingLeft(call);
    const again = resumeCall(call);
    await again.transport.silence(again.clock, 5000);
    expect(again.transport.states.at(-1)).toBe('listening');
    await again.hangUp();
  });
});
