import { describe, expect, it } from '@jest/globals';
import {
  audible,
  begun,
  Conversation,
  endpoint,
  fired,
  interrupting,
  paused,
  spoken,
  started,
  transcribed,
  userFirst,
} from './testing/conversation.ts';
import type { TurnEvent } from './turn-types.ts';

const booking = transcribed(1, 1, 'I would like to book');
const forTwo = transcribed(2, 1, 'a table for two');
const answered = (): Conversation =>
  new Conversation().play(userFirst, ...started, paused, booking, endpoint);
const goesOn: readonly TurnEvent[] = [...interrupting, paused, forTwo, endpoint];

describe('a turn continued after the response started', () => {
  it('is one message with one response within 1.5 s of the first audio', () => {
    const call = answered().play(begun(1));
    expect(call.waits).toHaveProperty('continuation', 1564);
    expect(call.play(fired('echo_guard'), ...goesOn).effects).toEqual([
      'open 2',
      'pause 1',
      'announce listening',
      'transcribe 2.1',
      'interrupt 1',
      'start 2 reply assuming "a table for two"',
      'user voice "a table for two" continued',
      'close 2',
      'commit 2',
      'announce thinking',
    ]);
    expect(call.waits).not.toHaveProperty('continuation');
  });

  it('is one message when no audio has played yet', () => {
    expect(answered().play(...goesOn).effects).toContain('user voice "a table for two" continued');
  });

  it('is one message when the speech lasts longer than the continuation window', () => {
    const call = answered().play(begun(1), ...interrupting, fired('continuation'), paused, forTwo, endpoint);
    expect(call.effects).toContain('user voice "a table for two" continued');
  });

  it('is a new turn after a short response was played to its end', () => {
    const call = answered().play(begun(1), spoken(1), ...goesOn);
    expect(call.effects).toContain('user voice "a table for two"');
  });

  it('is a new turn when the response plays to its end during the speech', () => {
    const call = answered().play(begun(1), ...started, spoken(1), paused, forTwo, endpoint);
    expect(call.effects).toContain('user voice "a table for two"');
  });

  it('is a new turn after the continuation window, after a text message, and in a new stage', () => {
    expect(answered().play(audible(1), ...goesOn).effects).toContain('user voice "a table for two"');
    const text: TurnEvent = { type: 'text_received', text: 'x', urgency: 'soon' };
    expect(answered().play(begun(1), text, spoken(1), ...goesOn).effects).toContain(
      'user voice "a table for two"',
    );
    const stage: TurnEvent = {
      type: 'stage_changed',
      inactivityMessages: [],
      languageHint: null,
      acceptsAudio: false,
    };
    expect(answered().play(begun(1), stage, ...goesOn).effects).toContain('user voice "a table for two"');
  });

  it('is not lost when the stage changes during transcription', () => {
    const stage: TurnEvent = {
      type: 'stage_changed',
      inactivityMessages: [],
      languageHint: 'de',
      acceptsAudio: false,
    };
    const call = new Conversation().play(userFirst, ...started, paused, endpoint, stage, booking);
    expect(call.effects).toContain('user voice "I would like to book"');
  });
});
