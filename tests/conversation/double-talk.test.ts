import { describe, expect, it } from '@jest/globals';
import { createSvcLocal } from '@calls/providers/llm/svc-local/adapter';
import { startCall } from '../support/scripted-call.ts';

const SENTENCE = 'please enter your account number followed by the pound key';
const OTHER = 'Welcome to the bank of the old town. All of our lines are busy, so this may take some time.';

describe("speech that repeats the agent's words", () => {
  it.each([200, 500, 700, 1000, 1500, 2000, 2500, 3000])(
    'is a turn when it starts %i ms after the agent began the sentence',
    async (afterMs) => {
      const call = startCall({
        stt: [SENTENCE, SENTENCE],
        services: (clock) => ({ languageModel: createSvcLocal({ clock }) }),
      });
      await call.saySomething();
      await call.untilSpeaking();
      await call.transport.silence(call.clock, afterMs);
      await call.transport.speak(call.clock, 3000);
      await call.transport.silence(call.clock, 9000);
      const said = call.messages.filter((message) => message.startsWith('USER')).join(' ');
      expect(said.split(SENTENCE)).toHaveLength(3);
      expect(call.messages.at(-1)).toMatch(/^AGENT: You said/u);
      expect(call.noted('speech_dismissed')).toEqual([]);
      await call.hangUp();
    },
  );

  it('is a turn when the words are from the previous response', async () => {
    const call = startCall({ stt: ['hello', SENTENCE], llm: [OTHER] });
    call.transport.say({
      type: 'forced_agent_message',
      content: `Please ${SENTENCE}.`,
      toolCalls: [],
      uninterruptible: false,
      urgency: 'soon',
    });
    await call.untilSpeaking();
    await call.transport.silence(call.clock, 5000);
    await call.saySomething();
    await call.untilSpeaking();
    await call.transport.silence(call.clock, 2000);
    await call.transport.speak(call.clock, 1500);
    await call.transport.silence(call.clock, 3000);
    expect(call.messages.slice(-2)).toEqual([`USER: ${SENTENCE}`, 'AGENT: I see.']);
    await call.hangUp();
  });
});
