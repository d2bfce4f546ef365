import { describe, expect, it } from '@jest/globals';
import {
  Conversation,
  endpoint,
  fired,
  paused,
  resumed,
  started,
  transcribed,
  userFirst,
} from './testing/conversation.ts';
import { stepTurn } from './step-turn.ts';
import type { TurnEvent } from './turn-types.ts';

/** A call whose end-of-turn detector treats text that ends with "and" as unfinished. */
const call = (): Conversation =>
  new Conversation([], {}, (text) => (text.endsWith('and') ? 1200 : 0)).play(userFirst);

describe('the end of a turn', () => {
  it('is not delayed for a complete sentence', () => {
    expect(call().play(started, paused, transcribed(1, 1, 'tea'), endpoint).waits).not.toHaveProperty('hold');
  });

  it('is delayed for an incomplete sentence while a speculative generation starts', () => {
    const held = call().play(started, paused, transcribed(1, 1, 'tea and'), endpoint);
    expect(held.waits).toEqual({ hold: 1200, response_due: 5000 });
    expect(held.effects.slice(-1)).toEqual(['start 1 reply assuming "tea and"']);
    expect(held.state.kind).toBe('endpointing');
    expect(held.play(fired('hold')).effects).toEqual([
      'user voice "tea and"',
      'close 1',
      'commit 1',
      'announce thinking',
    ]);
    expect(held.waits).toEqual({ reply_overdue: 2000, response_due: 5000 });
  });

  it('is postponed when the user continues', () => {
    const held = call().play(started, paused, transcribed(1, 1, 'tea and'), endpoint);
    expect(held.play(started).effects).toEqual(['discard 1']);
    expect(held.waits).toEqual({ long_speech: 4000 });
    held.play(paused, transcribed(1, 2, 'tea and milk'), endpoint);
    expect(held.effects).toContain('user voice "tea and milk"');
  });

  it('is assessed again at every pause', () => {
    const going = call().play(started, paused, transcribed(1, 1, 'tea and'), resumed, paused, endpoint);
    expect(going.waits).toEqual({ reply_overdue: 2000, response_due: 5000 });
    expect(going.play(transcribed(1, 2, 'tea and milk and')).waits).toEqual({
      hold: 1200,
      response_due: 5000,
    });
  });

  it('waits for the detector and ignores results for earlier transcripts', () => {
    const detector = call();
    detector.play(started, paused, endpoint);
    const asked = stepTurn(detector.state, transcribed(1, 1, 'tea'));
    expect(asked.effects.map(({ type }) => type)).toEqual(['assess_end', 'start_generation']);
    const stale: TurnEvent = { type: 'end_assessed', utterance: 1, revision: 0, extraWaitMs: 0 };
    expect(stepTurn(asked.state, stale)).toEqual({ state: asked.state, effects: [] });
    const verdict = stepTurn(asked.state, { ...stale, revision: 1 });
    expect(verdict.effects.map(({ type }) => type)).toContain('commit_generation');
  });

  it('follows later results of the detector in the same pause', () => {
    const assessed = (extraWaitMs: number, revision = 1): TurnEvent => {
      return { type: 'end_assessed', utterance: 1, revision, extraWaitMs };
    };
    const sooner = call().play(started, paused, transcribed(1, 1, 'tea and'), assessed(300), endpoint);
    expect(sooner.waits).toMatchObject({ hold: 300 });
    expect(sooner.play(assessed(100)).waits).toMatchObject({ hold: 100 });
    expect(sooner.play(assessed(0, 2)).waits).toMatchObject({ hold: 100 });
    expect(sooner.play(fired('hold')).effects).toContain('commit 1');
    expect(sooner.play(assessed(500)).waits).not.toHaveProperty('hold');
    const complete = call().play(started, paused, transcribed(1, 1, 'tea and'), assessed(0));
    expect(complete.play(endpoint).effects).toContain('commit 1');
  });

  it('cancels its delay when an urgent text message takes the turn', () => {
    const held = call().play(started, paused, transcribed(1, 1, 'tea and'), endpoint);
    held.play({ type: 'text_received', text: 'coffee', urgency: 'immediate' });
    expect(held.waits).not.toHaveProperty('hold');
    expect(held.play(fired('hold')).effects).toEqual([]);
  });
});

describe('speculation', () => {
  it('starts the generation only at the end of the turn when disabled', () => {
    const plain = new Conversation([], { speculation: false }).play(userFirst, started, paused);
    expect(plain.play(transcribed(1, 1, 'hello')).effects).toEqual([]);
    expect(plain.play(endpoint).effects).toEqual([
      'user voice "hello"',
      'close 1',
      'start 1 reply',
      'commit 1',
      'announce thinking',
    ]);
  });

  it('starts from audio when the model accepts audio, and commits after the transcript', () => {
    const hears = { acceptsAudio: true };
    const begunAt = new Conversation([], hears).play(userFirst, started, paused);
    expect(begunAt.effects.slice(-2)).toEqual(['transcribe 1.1', 'start 1 reply assuming sound 1']);
    expect(begunAt.play(transcribed(1, 1, 'hello'), endpoint).effects).toEqual([
      'user voice "hello"',
      'close 1',
      'commit 1',
      'announce thinking',
    ]);
    const cough = new Conversation([], hears).play(userFirst, started, paused, transcribed(1, 1, ''));
    expect(cough.effects.at(-1)).toBe('discard 1');
    expect(cough.play(endpoint).effects).toEqual(['close 1', 'dismiss 1 nothing']);
    const goesOn = new Conversation([], hears).play(userFirst, started, paused, resumed, paused);
    expect(goesOn.effects.slice(-3)).toEqual([
      'discard 1',
      'transcribe 1.2',
      'start 2 reply assuming sound 1',
    ]);
  });

  it('can be disabled and enabled during a call', () => {
    const off = { type: 'speculation_changed', speculation: false } as const;
    const plain = new Conversation().play(userFirst, started, paused, off);
    expect(plain.play(transcribed(1, 1, 'hello')).effects).toEqual([]);
    const on = { ...off, speculation: true };
    expect(plain.play(resumed, on, paused, transcribed(1, 2, 'hello')).effects).toContain(
      'start 1 reply assuming "hello"',
    );
  });

  it('uses a generation that started before speculation was disabled', () => {
    const begun = new Conversation().play(userFirst, started, paused, transcribed(1, 1, 'hello'));
    begun.play({ type: 'speculation_changed', speculation: false });
    expect(begun.play(endpoint).effects).toContain('commit 1');
  });

  it('sends audio to the model even when disabled', () => {
    const settings = { acceptsAudio: true, speculation: false };
    const plain = new Conversation([], settings).play(userFirst, started, paused, transcribed(1, 1, 'hello'));
    expect(plain.play(endpoint).effects).toEqual([
      'start 1 reply assuming sound 1',
      'user voice "hello"',
      'close 1',
      'commit 1',
      'announce thinking',
    ]);
  });
});
