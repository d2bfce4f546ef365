import { describe, expect, it } from '@jest/globals';
import {
  audible,
  Conversation,
  endpoint,
  evidenceOf,
  fired,
  greeting,
  interrupting,
  interimTranscript,
  paused,
  resumed,
  spoken,
  transcribed,
  userFirst,
} from './testing/conversation.ts';
import type { TurnEvent } from './turn-types.ts';

/** The agent is speaking, and the user speaks over it. */
function over(...said: (TurnEvent | readonly TurnEvent[])[]): Conversation {
  return new Conversation().play(greeting, audible(1), interrupting, ...said);
}

const words = (text: string): TurnEvent[] => [paused, transcribed(1, 1, text), endpoint];

describe('backchannels', () => {
  it.each(['Mm-hm.', 'okay', 'Yeah, right.', 'genau'])('resume the agent: "%s"', (text) => {
    const call = over(words(text));
    expect(call.effects.slice(-4)).toEqual(['transcribe 1.1', 'close 1', 'resume 1', 'announce speaking']);
    expect(call.state.kind).toBe('responding');
  });

  it.each(['Okay, stop.', 'no', 'okay?'])('do not include "%s", which takes the turn', (text) => {
    expect(over(words(text)).effects).toContain('interrupt 1');
  });

  it('take the turn after a question of the agent and when they are long', () => {
    const asked = over([paused, transcribed(1, 1, 'yes', 'Is that right?'), endpoint]);
    expect(asked.effects).toContain('interrupt 1');
    const evidence = { ...evidenceOf(''), durationMs: 3000 };
    const long = over(paused, { type: 'transcribed', utterance: 1, revision: 1, text: 'okay', evidence });
    expect(long.effects).toContain('interrupt 1');
  });

  it('are detected in interim transcripts, and interrupt when other words follow', () => {
    const call = over(interimTranscript(1, 'o'), interimTranscript(1, 'okay'));
    expect(call.state.kind).toBe('interrupted');
    expect(call.play(interimTranscript(1, 'okay stop')).effects).toEqual(['interrupt 1']);
    expect(call.state.kind).toBe('userSpeaking');
  });

  it('interrupt when more words follow in the next transcript', () => {
    const call = over(paused, transcribed(1, 1, 'okay'), resumed, paused);
    expect(call.play(transcribed(1, 2, 'okay but wait')).effects).toContain('interrupt 1');
  });

  it('are matched in the language of the stage', () => {
    const german = new Conversation([], { languageHint: 'de' }).play(greeting, audible(1), interrupting);
    expect(german.play(words('genau'), fired('aside')).effects).toContain('dismiss 1 backchannel "genau"');
    const english: TurnEvent = {
      type: 'stage_changed',
      inactivityMessages: [],
      languageHint: 'en',
      acceptsAudio: false,
    };
    const call = new Conversation([], { languageHint: 'de' }).play(greeting, audible(1), english);
    expect(call.play(interrupting, words('genau')).effects).toContain('interrupt 1');
  });

  it('take the turn when the agent is not audible', () => {
    const silent = new Conversation().play(userFirst, interrupting, words('okay'));
    expect(silent.effects).toContain('user voice "okay"');
    const thinking = new Conversation().play(greeting, interrupting, words('okay'));
    expect(thinking.effects).toContain('interrupt 1');
    expect(thinking.effects).toContain('user voice "okay"');
  });

  it('become a user message when the response ends soon after', () => {
    const call = over(words('yes'));
    expect(call.waits).toHaveProperty('aside');
    expect(call.play(spoken(1)).effects).toEqual([
      'user voice "yes"',
      'start 2 reply',
      'commit 2',
      'announce thinking',
    ]);
    expect(call.waits).not.toHaveProperty('aside');
  });

  it('are dismissed when the agent continues', () => {
    const call = over(words('yes'));
    expect(call.play(fired('aside'), spoken(1)).effects).toEqual([
      'dismiss 1 backchannel "yes"',
      'announce listening',
    ]);
    const cut = over(words('yes'), interrupting, paused, transcribed(2, 1, 'stop'), endpoint);
    expect(cut.effects.filter((effect) => effect.startsWith('user'))).toEqual(['user voice "stop"']);
    expect(cut.waits).not.toHaveProperty('aside');
  });

  it('get no response after an uninterruptible response unless it ends soon after', () => {
    const call = (...events: TurnEvent[]): Conversation =>
      new Conversation().play(
        {
          type: 'opened',
          opening: {
            who: 'agent',
            delayMs: 0,
            uninterruptible: true,
            cue: { kind: 'greeting', text: 'Hi', prompt: null },
          },
        },
        audible(1),
        interrupting,
        words('mm-hm'),
        ...events,
      );
    expect(call(fired('aside'), spoken(1)).state.kind).toBe('listening');
    expect(call(spoken(1)).effects).toContain('user voice "mm-hm"');
  });
});
