import { describe, expect, it } from '@jest/globals';
import {
  audible,
  Conversation,
  endpoint,
  interrupting,
  notTranscribed,
  paused,
  spoken,
  started,
  transcribed,
  userFirst,
} from './testing/conversation.ts';
import type { TurnEvent } from './turn-types.ts';

const forced = (atOnce = false, interruptible = true): TurnEvent => ({
  type: 'words_forced',
  words: { text: 'The doctor is in.', interruptible },
  atOnce,
});
const text = (urgency: 'immediate' | 'soon'): TurnEvent => ({ type: 'text_received', text: 'x', urgency });

describe('forced messages', () => {
  it('are spoken when the floor is free', () => {
    const call = new Conversation().play(userFirst);
    expect(call.play(forced()).effects).toEqual(['start 1 words', 'commit 1', 'announce thinking']);
    expect(call.play(audible(1), ...interrupting).effects).toContain('pause 1');
  });

  it('cannot be interrupted when uninterruptible', () => {
    const call = new Conversation().play(userFirst, forced(false, false), audible(1), ...interrupting);
    expect(call.state.kind).toBe('responding');
    expect(call.play(forced(true), text('immediate')).effects).toEqual([]);
  });

  it('interrupt the agent and the user when urgent', () => {
    const agent = new Conversation().play(userFirst, text('soon'), audible(1), ...interrupting);
    expect(agent.play(forced(true)).effects).toEqual([
      'interrupt 1',
      'start 2 words',
      'commit 2',
      'announce thinking',
    ]);
    const user = new Conversation().play(userFirst, ...started, paused, transcribed(1, 1, 'so I'));
    expect(user.play(forced(true)).effects.slice(0, 4)).toEqual([
      'discard 1',
      'close 1',
      'user voice "so I"',
      'start 2 words',
    ]);
  });

  it('are not interrupted by earlier speech that is transcribed later', () => {
    const call = new Conversation().play(userFirst, ...started, paused, endpoint, forced(true));
    expect(call.effects.slice(-2)).toEqual(['start 1 words', 'commit 1']);
    call.play(audible(1), transcribed(1, 1, 'hello there'));
    expect(call.state.kind).toBe('responding');
    expect(call.play(spoken(1)).effects.slice(0, 2)).toEqual(['user voice "hello there"', 'start 2 reply']);
  });

  it('are followed by a response to the turn they interrupted', () => {
    const call = new Conversation().play(
      userFirst,
      ...started,
      paused,
      transcribed(1, 1, 'so I'),
      forced(true),
    );
    expect(call.play(audible(2), spoken(2)).effects).toEqual([
      'announce speaking',
      'start 3 reply',
      'commit 3',
      'announce thinking',
    ]);
  });

  it('are followed by the response that they interrupted before playback', () => {
    const asked = [userFirst, ...started, paused, transcribed(1, 1, 'hello'), endpoint];
    const call = new Conversation().play(...asked, forced(true));
    expect(call.play(audible(2), spoken(2)).effects).toContain('start 3 reply');
    const answered = new Conversation().play(...asked, audible(1), forced(true), audible(2));
    expect(answered.play(spoken(2)).effects).toEqual(['announce listening']);
  });

  it('are followed by an apology when the earlier speech is not transcribed', () => {
    const call = new Conversation().play(userFirst, ...started, paused, endpoint, forced(true));
    call.play(audible(1), notTranscribed(1, 1), spoken(1));
    expect(call.effects).toContain('dismiss 1 not_transcribed');
    expect(call.effects).toContain('start 2 phrase');
    const overAgent = new Conversation().play(userFirst, text('soon'), audible(1), interrupting, paused);
    overAgent.play(forced(true), audible(2), endpoint, notTranscribed(1, 1));
    expect(overAgent.effects).toContain('dismiss 1 not_transcribed');
    expect(overAgent.play(spoken(2)).effects).toEqual(['announce listening']);
  });

  it('wait until the agent has finished, and play in order', () => {
    const call = new Conversation().play(userFirst, text('soon'), audible(1));
    expect(call.play(forced(), forced()).effects).toEqual([]);
    expect(call.play(spoken(1)).effects).toEqual(['start 2 words', 'commit 2', 'announce thinking']);
    expect(call.play(audible(2), spoken(2)).effects).toContain('start 3 words');
    expect(call.play(audible(3), spoken(3)).effects).toEqual(['announce speaking', 'announce listening']);
  });

  it.each([false, true])('follow an uninterruptible greeting that waits (urgent: %s)', (atOnce) => {
    const opening: TurnEvent = {
      type: 'opened',
      opening: {
        who: 'agent',
        delayMs: 2000,
        uninterruptible: true,
        cue: { kind: 'greeting', text: 'This call is recorded.', prompt: null },
      },
    };
    for (const speech of [[], started]) {
      const call = new Conversation().play(
        opening,
        ...speech,
        forced(atOnce),
        paused,
        transcribed(1, 1, ''),
        endpoint,
      );
      expect(call.effects).toContain('start 1 greeting');
      expect(call.effects).not.toContain('start 1 words');
      call.play(audible(1), forced(true));
      expect(call.play(spoken(1)).effects).toContain('start 2 words');
      expect(call.play(audible(2), spoken(2)).effects).toContain('start 3 words');
    }
  });

  it('wait until the response to the user has finished', () => {
    const call = new Conversation().play(userFirst, ...started, forced());
    call.play(paused, transcribed(1, 1, 'hello'), endpoint, audible(1));
    expect(call.play(text('immediate')).effects).toEqual([
      'interrupt 1',
      'user text "x"',
      'start 2 reply',
      'commit 2',
      'announce thinking',
    ]);
    expect(call.play(audible(2), spoken(2)).effects).toContain('start 3 words');
  });

  it('are ignored during the final message', () => {
    const call = new Conversation().play(userFirst, forced(), forced());
    call.play({ type: 'ending', words: 'Bye.', reason: 'hangup' }, forced(true));
    expect(call.play(audible(2), spoken(2)).effects).toEqual(['announce speaking', 'end hangup']);
  });
});
