import { describe, expect, it } from '@jest/globals';
import {
  begun,
  Conversation,
  endpoint,
  fired,
  interrupting,
  notTranscribed,
  interimTranscript,
  paused,
  resumed,
  transcribed,
  userFirst,
} from './testing/conversation.ts';

const check = fired('long_speech');
/** The user speaks for so long that the first check has found this transcript. */
const speaking = (text: string): Conversation =>
  new Conversation([], { duckMs: 700 }).play(userFirst, interrupting, check, transcribed(1, 1, text));

describe('speech that continues', () => {
  it('is checked after 4 s, then less often, and not after the end of the turn', () => {
    const call = new Conversation().play(userFirst, interrupting);
    const delays = [call.waits.long_speech];
    for (let i = 0; i < 4; i += 1) delays.push(call.play(check).waits.long_speech);
    expect(delays).toEqual([4000, 4000, 6000, 8000, 8000]);
    expect(call.play(paused, endpoint).waits).not.toHaveProperty('long_speech');
  });

  it('is the turn when it has no new words', () => {
    const call = speaking('a table');
    expect(call.state.kind).toBe('userSpeaking');
    call.play(check, transcribed(1, 2, 'A table!'));
    expect(call.effects).toEqual([
      'transcribe 1.2',
      'end 1',
      'user voice "A table!"',
      'close 1',
      'start 1 reply',
      'commit 1',
      'announce thinking',
    ]);
    expect(call.waits).toEqual({ reply_overdue: 2000, response_due: 5000 });
  });

  it('is noise when it has no words at all', () => {
    expect(speaking('').play(check, transcribed(1, 2, '')).effects).toEqual([
      'transcribe 1.2',
      'end 1',
      'close 1',
      'dismiss 1 nothing',
    ]);
  });

  it('goes on while it has new words, or while speech-to-text fails', () => {
    const call = speaking('a table').play(check, transcribed(1, 2, 'a table for two'));
    call.play(check, notTranscribed(1, 3));
    expect(call.state.kind).toBe('userSpeaking');
  });

  it('is judged by the transcript of a pause, too, but only when a check is due', () => {
    const call = speaking('a table');
    expect(call.play(paused, transcribed(1, 2, 'a table'), resumed).state.kind).toBe('userSpeaking');
    expect(call.play(check, paused, transcribed(1, 4, 'a table')).effects).toContain('end 1');
    const inPause = speaking('a table').play(paused, transcribed(1, 2, 'a table'));
    expect(inPause.effects).toContain('start 1 reply assuming "a table"');
    expect(inPause.play(check).effects).toContain('commit 1');
  });
});

describe('noise that continues after the turn that it ended', () => {
  const noise = (): Conversation =>
    speaking('a table')
      .play(check, transcribed(1, 2, 'a table'))
      .play(interrupting);

  it('does not pause the response, only ducks it after the echo guard', () => {
    const call = noise();
    expect(call.effects).toEqual(['open 2']);
    expect(call.play(begun(1)).effects).toEqual(['announce speaking']);
    expect(call.play(fired('echo_guard')).effects).toEqual(['duck 1']);
    expect(call.play(fired('resume')).effects).toEqual(['transcribe 2.1']);
    expect(call.play(transcribed(2, 1, 'wait')).effects).toContain('interrupt 1');
  });

  it('is an interruption as soon as an interim transcript has words', () => {
    const call = noise().play(begun(1), fired('echo_guard'));
    expect(call.play(interimTranscript(2, 'wait a moment please')).effects).toContain('interrupt 1');
  });
});
