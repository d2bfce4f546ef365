import { describe, expect, it } from '@jest/globals';
import {
  Conversation,
  audible,
  endpoint,
  evidenceOf,
  greeting,
  interrupting,
  notTranscribed,
  interimTranscript,
  paused,
  resumed,
  spoken,
  started,
  transcribed,
  userFirst,
  wholeInterimTranscript,
} from './testing/conversation.ts';
import type { TurnEvent } from './turn-types.ts';

describe('stepTurn', () => {
  it('greets, then listens', () => {
    const call = new Conversation().play(greeting);
    expect(call.effects).toEqual(['start 1 greeting', 'commit 1', 'announce thinking']);
    expect(call.play(audible(1)).effects).toEqual(['announce speaking']);
    expect(call.play(spoken(1)).effects).toEqual(['announce listening']);
    expect(call.state.kind).toBe('listening');
  });

  it('starts a generation when speech pauses and commits it at the endpoint', () => {
    const call = new Conversation().play(userFirst);
    expect(call.play(...started).effects).toEqual(['open 1']);
    expect(call.play(paused).effects).toEqual(['transcribe 1.1']);
    expect(call.play(transcribed(1, 1, 'hello')).effects).toEqual(['start 1 reply assuming "hello"']);
    expect(call.play(endpoint).effects).toEqual([
      'user voice "hello"',
      'close 1',
      'commit 1',
      'announce thinking',
    ]);
    expect(call.state.kind).toBe('responding');
  });

  it('starts a generation on an interim transcript of all that was said', () => {
    const call = new Conversation().play(userFirst, ...started, interimTranscript(1, 'hello'), paused);
    expect(call.effects).toContain('transcribe 1.1');
    expect(call.play(interimTranscript(1, 'hello there')).effects).toEqual([]);
    expect(call.play(wholeInterimTranscript(1, 'hello there')).effects).toEqual([
      'start 1 reply assuming "hello there"',
    ]);
    expect(call.play(wholeInterimTranscript(1, 'Hello, there')).effects).toEqual([]);
    expect(call.play(transcribed(1, 1, 'Hello there.')).effects).toEqual([]);
    expect(call.play(endpoint).effects).toEqual([
      'user voice "Hello there."',
      'close 1',
      'commit 1',
      'announce thinking',
    ]);
  });

  it('starts another generation when the final transcript has other words, or is a question', () => {
    for (const final of ['hello you', 'hello there?']) {
      const call = new Conversation().play(
        userFirst,
        ...started,
        paused,
        wholeInterimTranscript(1, 'hello there'),
      );
      expect(call.play(transcribed(1, 1, final)).effects).toEqual([
        'discard 1',
        `start 2 reply assuming "${final}"`,
      ]);
      expect(call.play(endpoint).effects).toContain('commit 2');
    }
  });

  it('starts no generation on an interim transcript from before the pause', () => {
    const call = new Conversation().play(userFirst, ...started, paused, wholeInterimTranscript(1, 'I would'));
    expect(call.play(resumed).effects).toEqual(['discard 1']);
    expect(call.play(paused).effects).toEqual(['transcribe 1.2']);
  });

  it('starts no generation on an interim transcript when it must not speculate', () => {
    const call = new Conversation([], { speculation: false }).play(userFirst, ...started, paused);
    expect(call.play(wholeInterimTranscript(1, 'hello')).effects).toEqual([]);
  });

  it('discards a speculative generation when the user continues', () => {
    const call = new Conversation().play(userFirst, ...started, paused, transcribed(1, 1, 'I would'));
    expect(call.play(resumed).effects).toEqual(['discard 1']);
    expect(call.play(paused, transcribed(1, 2, 'I would like tea'), endpoint).effects).toEqual([
      'transcribe 1.2',
      'start 2 reply assuming "I would like tea"',
      'user voice "I would like tea"',
      'close 1',
      'commit 2',
      'announce thinking',
    ]);
  });

  it('waits for a transcript that arrives after the endpoint', () => {
    const call = new Conversation().play(userFirst, ...started, paused, endpoint);
    expect(call.effects).toContain('announce thinking');
    expect(call.play(transcribed(1, 1, 'late')).effects).toEqual([
      'start 1 reply assuming "late"',
      'user voice "late"',
      'close 1',
      'commit 1',
    ]);
  });

  it('continues the turn when speech follows the endpoint before the transcript', () => {
    const call = new Conversation().play(userFirst, ...started, paused, endpoint, ...started);
    expect(call.state.kind).toBe('userSpeaking');
    expect(call.play(transcribed(1, 1, 'first half')).effects).toEqual([]);
    expect(call.play(paused).effects).toEqual(['transcribe 1.2']);
  });

  it('dismisses sound in which speech-to-text finds no words', () => {
    const call = new Conversation().play(userFirst, ...started, paused, transcribed(1, 1, ''), endpoint);
    expect(call.effects).toEqual([
      'announce listening',
      'open 1',
      'transcribe 1.1',
      'close 1',
      'dismiss 1 nothing',
    ]);
    expect(call.state.kind).toBe('listening');
  });

  it('requests no transcript for speech below the minimum turn duration', () => {
    const call = new Conversation().play(
      userFirst,
      { type: 'speech', edge: 'speech_started' },
      paused,
      endpoint,
    );
    expect(call.effects).toEqual(['announce listening', 'open 1', 'close 1']);
  });

  it('pauses for speech over the agent and interrupts when there are words', () => {
    const call = new Conversation().play(greeting, audible(1));
    expect(call.play(...interrupting).effects).toEqual(['open 1', 'pause 1', 'announce listening']);
    expect(call.state.kind).toBe('interrupted');
    expect(call.play(paused, transcribed(1, 1, 'stop')).effects).toEqual([
      'transcribe 1.1',
      'interrupt 1',
      'start 2 reply assuming "stop"',
    ]);
    expect(call.play(endpoint).effects).toEqual([
      'user voice "stop"',
      'close 1',
      'commit 2',
      'announce thinking',
    ]);
  });

  it('resumes the agent after speech without words', () => {
    const call = new Conversation().play(greeting, audible(1), ...interrupting, paused, endpoint);
    expect(call.timers).toContain('resume');
    expect(call.play(transcribed(1, 1, '')).effects).toEqual([
      'close 1',
      'dismiss 1 nothing',
      'resume 1',
      'announce speaking',
    ]);
    expect(call.state.kind).toBe('responding');
  });

  it('resumes the agent when the transcript is late', () => {
    const call = new Conversation().play(greeting, audible(1), ...interrupting, paused, endpoint);
    expect(call.play({ type: 'timer_fired', timer: 'resume' }).effects).toEqual([
      'resume 1',
      'announce speaking',
    ]);
  });

  it('interrupts the resumed agent when words arrive late', () => {
    const call = new Conversation().play(greeting, audible(1), ...interrupting, paused, endpoint);
    call.play({ type: 'timer_fired', timer: 'resume' }, transcribed(1, 1, 'I need help'));
    expect(call.effects).toContain('interrupt 1');
    expect(call.effects).toContain('user voice "I need help"');
  });

  it('treats a transcript after the end of the response as the next turn', () => {
    const call = new Conversation().play(greeting, audible(1), ...interrupting, paused, endpoint);
    call.play({ type: 'timer_fired', timer: 'resume' }, spoken(1));
    expect(call.state.kind).toBe('endpointing');
    expect(call.play(transcribed(1, 1, 'I need help')).effects).toContain('commit 2');
  });

  it('adds a transcript after the end of the call as its last message', () => {
    const call = new Conversation().play(userFirst, ...started, { type: 'closed' });
    expect(call.effects).toContain('transcribe 1.1');
    expect(call.play(transcribed(1, 1, 'bye')).effects).toEqual(['close 1', 'user voice "bye"']);
  });

  it('uses the interim transcript when speech-to-text fails', () => {
    const call = new Conversation().play(userFirst, ...started, interimTranscript(1, 'help me'), paused);
    call.play(notTranscribed(1, 1), endpoint, notTranscribed(1, 2));
    expect(call.effects).toContain('user voice "help me"');
  });

  it('responds to interim words that interrupted when the final transcript is empty', () => {
    const call = new Conversation().play(
      greeting,
      audible(1),
      ...interrupting,
      interimTranscript(1, 'stop please'),
    );
    expect(call.effects).toContain('interrupt 1');
    expect(call.play(paused, transcribed(1, 1, ''), endpoint).effects).toContain('user voice "stop please"');
  });

  it('does not pause for speech below the minimum interruption duration', () => {
    const call = new Conversation().play(greeting, audible(1), ...started, paused, endpoint);
    expect(call.effects.filter((effect) => !effect.startsWith('announce'))).toEqual([
      'start 1 greeting',
      'commit 1',
      'open 1',
      'close 1',
    ]);
  });

  it('responds to speech over an uninterruptible greeting once the greeting ends', () => {
    const call = new Conversation().play({
      type: 'opened',
      opening: {
        who: 'agent',
        delayMs: 0,
        uninterruptible: true,
        cue: { kind: 'greeting', text: 'Hi', prompt: null },
      },
    });
    call.play(audible(1), ...interrupting, paused, endpoint, transcribed(1, 1, 'hello?'));
    expect(call.effects).toEqual(['announce speaking', 'open 1', 'transcribe 1.1', 'close 1']);
    expect(call.play(spoken(1)).effects).toEqual([
      'user voice "hello?"',
      'start 2 reply',
      'commit 2',
      'announce thinking',
    ]);
  });

  it('plays an uninterruptible greeting after its delay, or in place of the response to what the user says first', () => {
    const opening: TurnEvent = {
      type: 'opened',
      opening: {
        who: 'agent',
        delayMs: 2000,
        uninterruptible: true,
        cue: { kind: 'greeting', text: 'Hi', prompt: null },
      },
    };
    const words = new Conversation().play(opening, ...started, paused, transcribed(1, 1, 'hello?'), endpoint);
    expect(words.effects).toContain('discard 1');
    expect(words.effects).toContain('start 2 greeting');
    expect(words.state).toMatchObject({ agent: { interruptible: false }, memory: { opening: null } });
    for (const urgency of ['soon', 'immediate'] as const) {
      const text = new Conversation().play(opening, { type: 'text_received', text: 'hello?', urgency });
      expect(text.effects.slice(1)).toEqual([
        'user text "hello?"',
        'start 1 greeting',
        'commit 1',
        'announce thinking',
      ]);
    }
    const failed = new Conversation().play(opening, ...started, paused, endpoint, {
      type: 'transcription_failed',
      utterance: 1,
      revision: 1,
    });
    expect(failed.effects).toContain('start 1 greeting');
  });

  it('handles text messages by urgency: after the response, immediately, or without a response', () => {
    const soon = new Conversation().play(greeting, audible(1));
    expect(soon.play({ type: 'text_received', text: 'note', urgency: 'soon' }).effects).toEqual([]);
    expect(soon.play(spoken(1)).effects.slice(0, 2)).toEqual(['user text "note"', 'start 2 reply']);

    const now = new Conversation().play(greeting, audible(1));
    expect(now.play({ type: 'text_received', text: 'stop', urgency: 'immediate' }).effects).toEqual([
      'interrupt 1',
      'user text "stop"',
      'start 2 reply',
      'commit 2',
      'announce thinking',
    ]);

    const later = new Conversation().play(greeting, audible(1), spoken(1));
    expect(later.play({ type: 'text_received', text: 'fyi', urgency: 'later' }).effects).toEqual([
      'user text "fyi"',
    ]);
    expect(later.state.kind).toBe('listening');
  });

  it('retries transcription at the endpoint and then apologizes', () => {
    const call = new Conversation().play(userFirst, ...started, paused, notTranscribed(1, 1));
    expect(call.play(endpoint).effects[0]).toBe('transcribe 1.2');
    expect(call.play(notTranscribed(1, 2)).effects).toEqual([
      'close 1',
      'dismiss 1 not_transcribed',
      'start 1 phrase',
      'commit 1',
    ]);
  });

  it('ends the call after three consecutive errors', () => {
    const call = new Conversation().play(greeting);
    call.play(spoken(1, true), spoken(2), spoken(2));
    expect(call.state.kind).toBe('listening');
    call.play(...started, paused, transcribed(1, 1, 'hello'), endpoint, spoken(3, true));
    expect(call.effects.slice(-2)).toEqual(['start 4 phrase', 'commit 4']);
    call.play(spoken(4), { type: 'speech', edge: 'speech_started' });
    call.play(
      { type: 'speech', edge: 'turn_reached' },
      paused,
      transcribed(2, 1, 'again'),
      endpoint,
      spoken(5, true),
    );
    expect(call.play(spoken(6)).effects).toEqual(['end system_error']);
    expect(call.state.kind).toBe('closed');
  });

  it('resets the error count once a response was played', () => {
    const call = new Conversation().play(greeting, spoken(1, true), spoken(2));
    call.play(...started, paused, transcribed(1, 1, 'hello'), endpoint, audible(3), spoken(3));
    expect(call.state.memory.failures).toBe(0);
  });

  it('plays a filler when a response is slow', () => {
    const call = new Conversation().play(userFirst, ...started, paused, transcribed(1, 1, 'hello'), endpoint);
    expect(call.timers).toEqual(['long_speech', 'reply_overdue', 'response_due']);
    expect(call.play({ type: 'timer_fired', timer: 'reply_overdue' }).effects).toEqual(['fill_silence 1']);
    call.play(audible(1));
    expect(call.play({ type: 'timer_fired', timer: 'reply_overdue' }).effects).toEqual([]);
  });

  it('plays the fallback greeting after its delay or after noise, but not after the user spoke', () => {
    const opening: TurnEvent = {
      type: 'opened',
      opening: {
        who: 'user',
        fallback: { delayMs: 3000, cue: { kind: 'greeting', text: 'Anyone?', prompt: null } },
      },
    };
    const fired: TurnEvent = { type: 'timer_fired', timer: 'opening' };
    expect(new Conversation().play(opening).timers).toEqual(['opening']);
    expect(new Conversation().play(opening, fired).effects).toContain('start 1 greeting');
    const noise = new Conversation().play(opening, ...started, fired, paused, transcribed(1, 1, ''));
    expect(noise.play(endpoint).effects).toContain('start 1 greeting');
    const words = new Conversation().play(
      opening,
      ...started,
      paused,
      transcribed(1, 1, 'hi'),
      endpoint,
      audible(1),
    );
    expect(words.play(fired, spoken(1), fired).effects).toEqual(['announce listening']);
  });

  it('plays a final message before it ends the call, or ends it immediately without one', () => {
    const call = new Conversation().play(greeting, audible(1));
    const bye: TurnEvent = { type: 'ending', words: 'Goodbye', reason: 'agent_hangup' };
    expect(call.play(bye).effects).toEqual(['interrupt 1', 'start 2 words', 'commit 2', 'announce thinking']);
    expect(call.play(...interrupting, spoken(2)).effects).toEqual([
      'open 1',
      'transcribe 1.1',
      'end agent_hangup',
    ]);
    const quiet = new Conversation().play(greeting, { type: 'ending', words: '', reason: 'timeout' });
    expect(quiet.effects.slice(-2)).toEqual(['interrupt 1', 'end timeout']);
  });

  it('ignores outdated events', () => {
    const call = new Conversation().play(greeting, audible(1), spoken(1));
    const before = call.state;
    call.play(spoken(1), audible(1), transcribed(9, 9, 'x'), notTranscribed(9, 9), {
      type: 'words_heard',
      utterance: 9,
      text: 'x',
      isWhole: false,
      evidence: evidenceOf(''),
    });
    expect(call.state).toEqual(before);
    expect(call.effects).toEqual([]);
  });
});
