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
  spoken,
  started,
  transcribed,
  userFirst,
} from './testing/conversation.ts';
import type { TurnEvent } from './turn-types.ts';

const asked = (): Conversation =>
  new Conversation().play(userFirst, ...started, paused, transcribed(1, 1, 'hello'), endpoint);

describe('the response watch', () => {
  it('runs from the end of a turn until audio plays', () => {
    expect(asked().waits).toHaveProperty('response_due', 5000);
    expect(asked().play(begun(1)).waits).not.toHaveProperty('response_due');
  });

  it('reports a late response, plays a filler, and apologizes the second time', () => {
    const call = asked();
    expect(call.play(fired('response_due')).effects).toEqual(['missing response_late', 'fill_silence 1']);
    expect(call.waits).toHaveProperty('response_due', 5000);
    expect(call.play(fired('response_due')).effects).toEqual([
      'missing response_late',
      'interrupt 1',
      'start 2 phrase',
      'commit 2',
    ]);
  });

  it('reports a slow tool once and waits for it', () => {
    const toolsStarted: TurnEvent = { type: 'tools_started', generation: 1 };
    const toolsSettled: TurnEvent = { type: 'tools_settled', generation: 1 };
    const call = asked().play(toolsStarted, fired('response_due'));
    expect(call.effects).toEqual(['missing tool_running', 'fill_silence 1']);
    expect(call.waits).not.toHaveProperty('response_due');
    expect(call.play(toolsSettled).waits).toHaveProperty('response_due', 5000);
    expect(call.play(fired('response_due')).effects).toEqual(['missing response_late', 'fill_silence 1']);
  });

  it('restarts after a short tool and ignores tools of an interrupted response', () => {
    const call = asked().play(fired('response_due'), { type: 'tools_started', generation: 1 });
    call.play({ type: 'tools_settled', generation: 1 });
    expect(call.timers).toEqual(['response_due']);
    expect(call.play(fired('response_due')).effects).not.toContain('interrupt 1');
    const other = asked().play({ type: 'tools_started', generation: 7 }, fired('response_due'));
    expect(other.effects).toContain('missing response_late');
  });

  it('plays a whole filler while speech-to-text is slow and then uses the transcript', () => {
    const call = new Conversation().play(userFirst, ...started, paused, endpoint);
    call.play(fired('response_due'));
    expect(call.effects.slice(0, 3)).toEqual(['missing recognition_late', 'start 1 phrase', 'commit 1']);
    call.play(audible(1));
    expect(call.play(transcribed(1, 1, 'I need help')).effects).toEqual(['close 1']);
    call.play(spoken(1));
    expect(call.effects).toContain('user voice "I need help"');
    expect(call.effects).toContain('start 2 reply');
  });

  it('cuts the filler when the user speaks again', () => {
    const call = new Conversation().play(userFirst, ...started, paused, endpoint, fired('response_due'));
    call.play(audible(1), interrupting, paused, endpoint, transcribed(1, 2, 'I need help now'));
    expect(call.effects).toContain('interrupt 1');
    expect(call.effects).toContain('user voice "I need help now"');
  });

  it('apologizes after the filler when speech-to-text fails meanwhile', () => {
    const call = new Conversation().play(userFirst, ...started, paused, endpoint, fired('response_due'));
    expect(call.play(audible(1), notTranscribed(1, 1)).effects).toEqual(['announce speaking']);
    const apology = [
      'close 1',
      'dismiss 1 not_transcribed',
      'start 2 phrase',
      'commit 2',
      'announce thinking',
    ];
    expect(call.play(spoken(1)).effects).toEqual(apology);
  });

  it('apologizes after the filler when speech over the filler is not transcribed', () => {
    const call = new Conversation().play(userFirst, ...started, paused, endpoint, fired('response_due'));
    call.play(audible(1), interrupting, paused, endpoint, notTranscribed(1, 2));
    expect(call.effects.slice(-2)).toEqual(['resume 1', 'announce speaking']);
    expect(call.play(spoken(1)).effects).toContain('start 2 phrase');
  });

  it.each([1000, null])('ends a transcribed turn despite an end-of-turn wait of %p ms', (extraWaitMs) => {
    const call = new Conversation([], {}, () => extraWaitMs);
    call.play(userFirst, ...started, paused, transcribed(1, 1, 'my number is'), endpoint);
    expect(call.state.kind).toBe('endpointing');
    call.play(fired('response_due'));
    expect(call.effects.slice(0, 3)).toEqual(['user voice "my number is"', 'close 1', 'commit 1']);
    expect(call.waits).not.toHaveProperty('hold');
    expect(call.waits).toHaveProperty('response_due', 5000);
  });

  it('reports a response without text', () => {
    expect(asked().play(spoken(1)).effects).toEqual(['announce listening', 'missing nothing_to_say']);
  });

  it('reports a response that only called tools', () => {
    const call = asked().play(
      { type: 'tools_started', generation: 1 },
      { type: 'tools_settled', generation: 1 },
    );
    call.play({ type: 'spoken', generation: 1, failed: false, medium: 'voice', endsWithTools: true });
    expect(call.effects).toEqual(['announce listening', 'missing tools_only']);
  });

  it('reports no response without text that another one follows at once', () => {
    const call = asked().play({ type: 'reply_wanted' });
    expect(call.play(spoken(1)).effects).toEqual(['start 2 reply', 'commit 2']);
    expect(call.play(audible(2), spoken(2)).effects).toEqual(['announce speaking', 'announce listening']);
    const silent = asked().play({ type: 'reply_wanted' }, spoken(1));
    expect(silent.play(spoken(2)).effects).toEqual(['announce listening', 'missing nothing_to_say']);
  });

  it('stops when a text response is shown', () => {
    const call = asked().play({ type: 'text_shown', generation: 1 });
    expect(call.waits).not.toHaveProperty('response_due');
    expect(call.play(spoken(1)).effects).toEqual(['announce listening']);
  });

  it('responds to interim words that interrupted although the final transcript is empty', () => {
    const call = asked().play(
      interrupting,
      interimTranscript(2, 'wait'),
      paused,
      transcribed(2, 1, ''),
      endpoint,
    );
    expect(call.state.kind).toBe('responding');
    expect(call.effects).toContain('user voice "wait" continued');
  });

  it('continues the response when speech-to-text fails for speech over it', () => {
    const call = new Conversation().play(greeting, audible(1), interrupting, paused, endpoint);
    call.play({ type: 'transcription_failed', utterance: 1, revision: 1 });
    expect(call.state.kind).toBe('responding');
    expect(call.effects).toContain('dismiss 1 not_transcribed');
  });
});
