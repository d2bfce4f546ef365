import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import { delay, type Clock } from '@calls/foundation/clock';
import { noInterims } from '@calls/testkit/scripted/scripted-providers';
import { describe, expect, it } from '@jest/globals';
import { startCall } from '../support/scripted-call.ts';

/** Finds a numbered word in each half second of an utterance, up to `wordsMs`. */
function numberedWords(clock: Clock, wordsMs: number): SpeechToText {
  return {
    open: () => {
      let samples = 0;
      return {
        push: (pushed) => {
          samples += pushed.length;
        },
        finalize: async () => {
          const count = Math.floor(Math.min(samples / 16, wordsMs) / 500);
          await delay(clock, 120);
          return { text: Array.from({ length: count }, (_, i) => `word${i + 1}`).join(' ') };
        },
        interims: noInterims(),
        close: () => undefined,
      };
    },
  };
}

describe('noise that the VAD takes for speech without a pause', () => {
  it('does not keep the turn open: the agent responds when there are no new words', async () => {
    const call = startCall({ stt: ['book a table'], llm: ['For how many people?'] });
    await call.transport.speak(call.clock, 12_000);
    expect(call.messages.slice(0, 1)).toEqual(['USER: book a table']);
    await call.transport.speak(call.clock, 8000);
    expect(call.messages).toEqual(['USER: book a table', 'AGENT: For how many people?']);
    await call.hangUp();
  });

  it('does not prevent inactivity messages', async () => {
    const inactivityMessages = [{ delayMs: 20_000, text: 'Are you there?', hangUp: 'never' as const }];
    const call = startCall({ stage: { inactivityMessages } });
    await call.transport.speak(call.clock, 40_000);
    expect(call.messages).toEqual(['AGENT: Are you there?']);
    await call.hangUp();
  });

  it('does not hide what the user says later', async () => {
    const call = startCall({ stt: ['', '', 'is anybody there'], llm: ['Yes, I am here.'] });
    await call.transport.speak(call.clock, 40_000);
    expect(call.messages[0]).toBe('USER: is anybody there');
    await call.hangUp();
  });
});

describe('a user who speaks for a minute without a pause', () => {
  it('is not cut off while there are new words', async () => {
    const call = startCall({ services: (clock) => ({ speechToText: numberedWords(clock, 60_000) }) });
    await call.transport.speak(call.clock, 60_000);
    expect(call.messages).toEqual([]);
    await call.transport.silence(call.clock, 1000);
    expect(call.messages[0]).toMatch(/^USER: word1 .* word120$/u);
    await call.hangUp();
  });

  it('gets a response within 16 s when noise follows', async () => {
    const call = startCall({ services: (clock) => ({ speechToText: numberedWords(clock, 20_000) }) });
    await call.transport.speak(call.clock, 36_000);
    expect(call.messages[0]).toMatch(/^USER: word1 .* word40$/u);
    await call.hangUp();
  });
});
