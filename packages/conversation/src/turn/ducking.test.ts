import { describe, expect, it } from '@jest/globals';
import {
  audible,
  begun,
  Conversation,
  endpoint,
  fired,
  greeting,
  interrupting,
  notTranscribed,
  interimTranscript,
  paused,
  resumed,
  spoken,
  started,
  transcribed,
} from './testing/conversation.ts';
import { RESUME_AFTER_MS } from './transitions.ts';
import { duckMsOf } from './turn-settings.ts';
import type { TurnEvent } from './turn-types.ts';

const DUCK_MS = 600;
const silent: TurnEvent = { type: 'fell_silent', generation: 1 };

/** The agent is speaking, and the user speaks over it. */
function over(...said: (TurnEvent | readonly TurnEvent[])[]): Conversation {
  return new Conversation([], { duckMs: DUCK_MS }).play(greeting, audible(1), interrupting, ...said);
}

describe('speech over the agent', () => {
  it('first ducks the agent, which stays in the state "speaking"', () => {
    const call = new Conversation([], { duckMs: DUCK_MS }).play(greeting, audible(1), started);
    call.play({ type: 'speech', edge: 'interruption_reached' });
    expect(call.effects).toEqual(['duck 1']);
    expect(call.waits.duck).toBe(DUCK_MS);
  });

  it('pauses the agent if it is still undecided after duckMs', () => {
    const call = over();
    expect(call.play(fired('duck')).effects).toEqual(['pause 1', 'announce listening']);
    expect(call.play(paused, transcribed(1, 1, 'stop please')).effects).toContain('interrupt 1');
    expect(call.waits).not.toHaveProperty('duck');
  });

  it('pauses a response that has no more audio for now, so that it does not continue over the user', () => {
    const call = over();
    expect(call.play(silent).effects).toEqual(['pause 1', 'announce listening']);
    expect(call.play(paused, transcribed(1, 1, ''), endpoint).effects).toContain('resume 1');
    expect(call.state).toMatchObject({ kind: 'responding', agent: { audible: false } });
  });

  it('is the next turn if the ducked response ends meanwhile', () => {
    const call = over(spoken(1));
    expect(call.state.kind).toBe('userSpeaking');
    expect(call.waits).not.toHaveProperty('duck');
    call.play(paused, transcribed(1, 1, 'and on Sundays'), endpoint);
    expect(call.effects).toContain('user voice "and on Sundays"');
  });

  it('pauses at once if the stage demands longer speech for an interruption', () => {
    expect(duckMsOf(90)).toBe(610);
    expect([duckMsOf(650), duckMsOf(2000)]).toEqual([0, 0]);
    const call = new Conversation([], { duckMs: 0 }).play(greeting, audible(1), interrupting);
    expect(call.effects).toContain('pause 1');
  });

  it('pauses at once when the echo guard ends, as it has lasted that long', () => {
    const call = new Conversation([], { duckMs: DUCK_MS }).play(greeting, begun(1), interrupting);
    expect(call.play(fired('echo_guard')).effects).toEqual(['pause 1', 'announce listening']);
  });
});

describe('speech that continues while the agent is paused', () => {
  it('is transcribed after 2 s, and the agent continues ducked if it has no words', () => {
    const call = over(fired('duck'));
    expect(call.waits.resume).toBe(RESUME_AFTER_MS);
    expect(call.play(fired('resume')).effects).toEqual(['transcribe 1.1']);
    expect(call.play(transcribed(1, 1, '')).effects).toEqual(['duck 1', 'announce speaking']);
    expect(call.waits).not.toHaveProperty('duck');
    call.play(paused, transcribed(1, 2, 'stop please'));
    expect(call.effects).toContain('interrupt 1');
  });

  it('is transcribed again and again, after twice the time each', () => {
    const call = over(fired('duck'), fired('resume'), transcribed(1, 1, ''));
    expect(call.waits.resume).toBe(2 * RESUME_AFTER_MS);
    call.play(fired('resume'), transcribed(1, 2, 'mm-hm'));
    expect(call.waits).toEqual({ resume: 4 * RESUME_AFTER_MS });
    expect(call.play(fired('resume'), transcribed(1, 3, 'mm-hm no stop')).effects).toContain('interrupt 1');
  });

  it('cuts the response if it has words', () => {
    const call = over(fired('duck'), fired('resume'));
    expect(call.play(transcribed(1, 1, 'no that is wrong')).effects).toContain('interrupt 1');
    expect(call.state.kind).toBe('userSpeaking');
    call.play(paused, transcribed(1, 2, 'no that is wrong I said two'), endpoint);
    expect(call.effects).toContain('user voice "no that is wrong I said two"');
  });

  it('does not silence the agent if speech-to-text fails', () => {
    expect(over(fired('duck'), fired('resume')).play(notTranscribed(1, 1)).effects).toContain('duck 1');
  });

  it('is timed again after each of its pauses', () => {
    const call = over(fired('duck'), paused);
    expect(call.waits).not.toHaveProperty('resume');
    expect(call.play(resumed).waits.resume).toBe(RESUME_AFTER_MS);
    expect(call.play(paused, endpoint, fired('resume')).effects).toContain('resume 1');
  });

  it('does not silence a response that is not audible yet', () => {
    const call = new Conversation([], { duckMs: DUCK_MS }).play(greeting, interrupting);
    expect(call.effects).toContain('pause 1');
    expect(call.play(fired('resume'), transcribed(1, 1, '')).effects).toContain('resume 1');
    expect(call.play(begun(1), fired('echo_guard')).effects).toContain('duck 1');
    expect(call.play(paused, transcribed(1, 2, 'stop please')).effects).toContain('interrupt 1');
  });
});

describe('soft speech over the agent', () => {
  const soft: TurnEvent = { type: 'speech', edge: 'speech_soft' };
  const loud: TurnEvent = { type: 'speech', edge: 'speech_loud' };
  const interruption: TurnEvent = { type: 'speech', edge: 'interruption_reached' };
  const softly = (...said: (TurnEvent | readonly TurnEvent[])[]): Conversation =>
    new Conversation([], { duckMs: DUCK_MS }).play(
      greeting,
      audible(1),
      started,
      soft,
      interruption,
      ...said,
    );

  it('ducks the agent and does not pause it', () => {
    const call = softly();
    expect(call.effects).toContain('duck 1');
    expect(call.waits).not.toHaveProperty('duck');
    call.play(paused, transcribed(1, 1, ''), resumed, interimTranscript(1, 'mm-hm'));
    expect(call.waits).not.toHaveProperty('duck');
    expect(call.play(paused, transcribed(1, 2, ''), endpoint).effects).toContain('resume 1');
  });

  it('cuts the response if it has words', () => {
    expect(softly(paused).play(transcribed(1, 1, 'stop please')).effects).toContain('interrupt 1');
  });

  it('pauses the agent if it becomes loud and is still undecided after duckMs', () => {
    const call = softly(loud);
    expect(call.waits.duck).toBe(DUCK_MS);
    expect(call.play(fired('duck')).effects).toEqual(['pause 1', 'announce listening']);
  });

  it('ducks the agent when the echo guard ends', () => {
    const call = new Conversation([], { duckMs: DUCK_MS });
    call.play(greeting, begun(1), started, soft, interruption);
    expect(call.play(fired('echo_guard')).effects).toEqual(['duck 1']);
  });

  it('pauses the agent if the stage demands longer speech for an interruption', () => {
    const call = new Conversation([], { duckMs: 0 }).play(greeting, audible(1), started, soft, interruption);
    expect(call.effects).toContain('pause 1');
  });
});

describe('a backchannel', () => {
  it('does not pause the agent, and ends the ducking at the endpoint', () => {
    const call = over(paused);
    call.play(transcribed(1, 1, 'mm-hm'));
    expect(call.waits).not.toHaveProperty('duck');
    expect(call.play(endpoint).effects).toEqual(['close 1', 'resume 1']);
  });

  it('lets a paused agent continue ducked as soon as its transcript is known', () => {
    const call = over(fired('duck'), paused);
    expect(call.play(transcribed(1, 1, 'mm-hm')).effects).toEqual(['duck 1', 'announce speaking']);
    expect(call.waits).not.toHaveProperty('duck');
    expect(call.play(endpoint).effects).toEqual(['close 1', 'resume 1']);
  });

  it('starts the time again with each interim transcript that may be one', () => {
    const call = over();
    call.waits = {};
    call.play(interimTranscript(1, 'okay'));
    expect(call.waits.duck).toBe(DUCK_MS);
    expect(call.play(interimTranscript(1, 'okay stop')).effects).toContain('interrupt 1');
    expect(call.waits).not.toHaveProperty('duck');
  });

  it('starts the time again if another transcript is requested', () => {
    const call = over(paused, transcribed(1, 1, 'okay'), paused);
    expect(call.effects).toContain('transcribe 1.2');
    expect(call.waits.duck).toBe(DUCK_MS);
  });

  it('starts the time again if more speech follows', () => {
    const call = over(paused, transcribed(1, 1, 'okay'), resumed);
    expect(call.waits.duck).toBe(DUCK_MS);
    expect(call.play(fired('duck')).effects).toEqual(['pause 1', 'announce listening']);
  });
});
