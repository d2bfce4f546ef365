import { describe, expect, it } from '@jest/globals';
import type { InactivityMessageSpec } from '@calls/api-contract/call-spec';
import { TEXT_RESPONSE_MS } from './inactivity.ts';
import {
  audible,
  Conversation,
  endpoint,
  greeting,
  interrupting,
  paused,
  spoken,
  started,
  transcribed,
  userFirst,
  written,
} from './testing/conversation.ts';
import type { TurnEvent } from './turn-types.ts';

const silence: TurnEvent = { type: 'timer_fired', timer: 'inactivity' };
const message = (text: string, hangUp: InactivityMessageSpec['hangUp'] = 'never'): InactivityMessageSpec => ({
  delayMs: 8000,
  text,
  hangUp,
});
const two = [message('Hello?'), { ...message('Still there?'), delayMs: 4000 }];
const later = (text: string): TurnEvent => ({ type: 'text_received', text, urgency: 'later' });

describe('inactivity messages', () => {
  it('are timed from the end of the greeting and of each message', () => {
    const call = new Conversation(two).play(greeting, audible(1));
    expect(call.waits).toEqual({});
    expect(call.play(spoken(1)).waits).toEqual({ inactivity: 8000 });
    expect(call.play(silence).effects).toEqual(['start 2 words', 'commit 2', 'announce thinking']);
    expect(call.waits).not.toHaveProperty('inactivity');
    expect(call.play(audible(2), spoken(2)).waits).toEqual({ inactivity: 4000 });
    expect(call.play(silence).effects).toContain('start 3 words');
    expect(call.play(audible(3), spoken(3)).waits).toEqual({});
    expect(call.state.kind).toBe('listening');
  });

  it('are timed from the join when the user speaks first, or from the end of the fallback greeting', () => {
    expect(new Conversation(two).play(userFirst).waits).toEqual({ inactivity: 8000 });
    const call = new Conversation(two).play({
      type: 'opened',
      opening: {
        who: 'user',
        fallback: { delayMs: 5000, cue: { kind: 'greeting', text: null, prompt: null } },
      },
    });
    expect(call.waits).toEqual({ opening: 5000 });
    const opened = call.play({ type: 'timer_fired', timer: 'opening' }, audible(1), spoken(1));
    expect(opened.waits).toEqual({ inactivity: 8000 });
  });

  it.each<[string, (TurnEvent | readonly TurnEvent[])[]]>([
    [
      'a turn and its response',
      [...started, paused, transcribed(1, 1, 'yes'), endpoint, audible(3), spoken(3)],
    ],
    ['text', [{ type: 'text_received', text: 'yes', urgency: 'soon' }, audible(3), spoken(3)]],
    ['text that requires no response', [later('yes')]],
  ])('restart after %s', (_what, events) => {
    const call = new Conversation(two).play(greeting, audible(1), spoken(1), silence, audible(2), spoken(2));
    expect(call.waits).toEqual({ inactivity: 4000 });
    expect(call.play(...events).waits).toEqual({ inactivity: 8000 });
  });

  it('are not delayed by noise and not played over it', () => {
    const call = new Conversation(two).play(userFirst, ...started);
    expect(call.waits).toMatchObject({ inactivity: 8000 });
    expect(call.play(silence).effects).toEqual([]);
    expect(call.play(paused, transcribed(1, 1, '')).effects).toEqual(['transcribe 1.1']);
    expect(call.play(endpoint).effects).toContain('start 1 words');
    expect(call.state.kind).toBe('responding');
  });

  it('are skipped when the user speaks at the time they are due', () => {
    const call = new Conversation(two).play(userFirst, ...started, silence);
    call.play(paused, transcribed(1, 1, 'one thing'), endpoint);
    expect(call.effects).toContain('start 1 reply assuming "one thing"');
    expect(call.play(audible(1), spoken(1)).waits).toEqual({ inactivity: 8000 });
  });

  it('wait while the user has put the agent on hold', () => {
    const hold: TurnEvent = { type: 'hold_changed', isOnHold: true };
    const back: TurnEvent = { type: 'hold_changed', isOnHold: false };
    const call = new Conversation(two).play(userFirst);
    expect(call.play(hold).waits).toEqual({});
    expect(call.play(later('just a moment')).waits).toEqual({});
    expect(call.play(back).waits).toEqual({ inactivity: 8000 });
    call.play(silence, hold, audible(1), spoken(1));
    expect(call.waits).toEqual({});
    expect(call.play(back).waits).toEqual({ inactivity: 4000 });
    const bye = new Conversation([message('Bye?', 'unless_answered')]).play(userFirst, silence, audible(1));
    expect(bye.play(hold, spoken(1)).effects).toContain('end agent_hangup');
  });

  it('can be interrupted by words, which restart them', () => {
    const call = new Conversation(two).play(userFirst, silence, audible(1), ...interrupting);
    expect(call.effects).toContain('pause 1');
    expect(call.play(paused, transcribed(1, 1, 'I am here'), endpoint).effects).toContain('interrupt 1');
    expect(call.play(audible(2), spoken(2)).waits).toEqual({ inactivity: 8000 });
  });

  it('hang up when the user does not respond', () => {
    const call = new Conversation([message('Bye?', 'unless_answered')]).play(userFirst, silence, audible(1));
    expect(call.play(spoken(1)).effects).toEqual(['announce listening', 'end agent_hangup']);
    expect(call.state.kind).toBe('closed');
    expect(call.waits).toEqual({});
  });

  it('hang up after a cough but not after words', () => {
    const bye = [message('Bye?', 'unless_answered')];
    const cough = new Conversation(bye).play(userFirst, silence, audible(1), ...started, spoken(1));
    expect(cough.state.kind).toBe('userSpeaking');
    expect(cough.play(paused, transcribed(1, 1, ''), endpoint).effects).toContain('end agent_hangup');
    const words = new Conversation(bye).play(userFirst, silence, audible(1), ...started, spoken(1));
    words.play(paused, transcribed(1, 1, 'wait'), endpoint, audible(2), spoken(2));
    expect(words.state.kind).toBe('listening');
    expect(words.waits).toEqual({ inactivity: 8000 });
    const text = new Conversation(bye).play(userFirst, silence, audible(1), later('wait'), spoken(1));
    expect(text.state.kind).toBe('listening');
  });

  it('leave time to respond to a written message before the hang-up', () => {
    const bye = [message('Bye?', 'unless_answered')];
    const call = new Conversation(bye).play(userFirst, silence, written(1));
    expect(call.state.kind).toBe('listening');
    expect(call.waits).toEqual({ inactivity: TEXT_RESPONSE_MS });
    expect(call.play(silence).effects).toEqual(['end agent_hangup']);
    const answered = new Conversation(bye).play(userFirst, silence, written(1), later('wait'));
    expect(answered.waits).toEqual({ inactivity: 8000 });
    expect(answered.state.kind).toBe('listening');
    // The response time starts when the text is sent. Noise after that does not restart it.
    const noise = new Conversation(bye).play(userFirst, silence, ...started, written(1));
    expect(noise.waits).toMatchObject({ inactivity: TEXT_RESPONSE_MS });
    noise.play(paused, transcribed(1, 1, ''), endpoint);
    expect(noise.state.kind).toBe('listening');
    expect(noise.play(silence).effects).toEqual(['end agent_hangup']);
  });

  it('hang up after an unconditional message', () => {
    const call = new Conversation([message('Bye.', 'always')]).play(userFirst, silence, audible(1));
    call.play(...interrupting, { type: 'text_received', text: 'wait', urgency: 'immediate' });
    expect(call.state.kind).toBe('responding');
    expect(call.play(spoken(1)).effects).toEqual(['user text "wait"', 'transcribe 1.1', 'end agent_hangup']);
  });

  it('restart their delay when the user presses a key', () => {
    const key: TurnEvent = { type: 'key_pressed' };
    const call = new Conversation(two).play(userFirst, silence, audible(1), spoken(1));
    expect(call.waits).toEqual({ inactivity: 4000 });
    expect(call.play(key).waits).toEqual({ inactivity: 8000 });
    expect(call.effects).toEqual([]);
    // A key press during a message prevents its hang-up.
    const last = new Conversation([message('Bye?', 'unless_answered')]).play(userFirst, silence, audible(1));
    expect(last.play(key, spoken(1)).state.kind).toBe('listening');
  });

  it('restart with the messages of a new stage', () => {
    const call = new Conversation(two).play(userFirst, silence, audible(1), spoken(1));
    const stage: TurnEvent = {
      type: 'stage_changed',
      inactivityMessages: [message('Well?')],
      languageHint: null,
      acceptsAudio: false,
    };
    expect(call.waits).toEqual({ inactivity: 4000 });
    expect(call.play(stage).waits).toEqual({ inactivity: 8000 });
    expect(call.play(silence).effects).toContain('start 2 words');
    expect(call.play(audible(2), spoken(2)).waits).toEqual({});
    const speaking = new Conversation(two).play(greeting, audible(1), stage);
    expect(speaking.waits).not.toHaveProperty('inactivity');
    expect(speaking.play(spoken(1)).waits).toEqual({ inactivity: 8000 });
  });

  it('ignore a timer that fires after cancellation', () => {
    const call = new Conversation(two).play(greeting, audible(1));
    expect(call.play(silence).effects).toEqual([]);
    expect(call.play(spoken(1)).effects).toEqual(['announce listening']);
  });
});

describe('the final message', () => {
  const limit: TurnEvent = { type: 'ending', words: 'Time is up.', reason: 'timeout' };

  it('is replaced only by an immediate end', () => {
    const call = new Conversation().play(userFirst, limit, audible(1));
    expect(call.play({ type: 'ending', words: 'Bye.', reason: 'hangup' }).effects).toEqual([]);
    expect(call.play({ type: 'ending', words: '', reason: 'timeout' }).effects).toEqual([
      'interrupt 1',
      'end timeout',
    ]);
  });
});
