import { describe, expect, it } from '@jest/globals';
import { startCall, startToolCall } from '../support/scripted-call.ts';
import { httpTool } from '../support/scripted-tools.ts';

const LONG = 'Of course, I can help you with that. When would you like to come to us, and for how long?';
const WORDS = ['i would like to book', 'a table for two'];

async function goesOnAfter(ms: number): Promise<ReturnType<typeof startCall>> {
  const call = startCall({ stt: WORDS, llm: [LONG] });
  await call.saySomething();
  await call.untilSpeaking();
  await call.transport.silence(call.clock, ms);
  await call.transport.speak(call.clock, 1000);
  await call.transport.silence(call.clock, 3000);
  await call.hangUp();
  return call;
}

describe('a turn continued after the response started', () => {
  it.each([0, 300, 1000, 1400])('includes speech that begins %i ms later', async (ms) => {
    const call = await goesOnAfter(ms);
    const whole = WORDS.join(' ');
    const played = call.messages.slice(1, -1);
    expect(call.messages[0]).toBe(`USER: ${whole}`);
    expect(call.messages.at(-1)).toBe('AGENT: I see.');
    for (const cut of played) expect(`AGENT: ${LONG}`.startsWith(cut)).toBe(true);
    expect(call.transport.transcript[0]).toBe(`user: ${whole}`);
    expect(call.transport.transcript).toHaveLength(call.messages.length);
    expect(call.llm.requests.at(-1)?.messages.at(-1)).toEqual({ role: 'user', content: whole });
    expect(call.llm.requests.at(-1)?.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('has an interim transcript at the first pause, which is cleared once the words are a message', async () => {
    const call = startCall({ stt: WORDS, llm: [LONG] });
    await call.saySomething();
    await call.untilSpeaking();
    await call.hangUp();
    const user = call.transport.messages.flatMap(({ what }) => {
      if (what.type === 'interim_transcript') return [`interim: ${what.text}`];
      return what.type === 'transcript' && what.role === 'user' ? [`final: ${what.text}`] : [];
    });
    expect(user.toSorted()).toEqual([`final: ${WORDS[0]}`, 'interim: ', `interim: ${WORDS[0]}`]);
    expect(user[0]).toBe(`interim: ${WORDS[0]}`);
  });

  it('does not include speech that begins 1600 ms later', async () => {
    const call = await goesOnAfter(1600);
    expect(call.messages.filter((message) => message.startsWith('USER'))).toEqual([
      'USER: i would like to book',
      'USER: a table for two',
    ]);
  });

  it.each([true, false])(
    'leaves the text that led to tool calls before the calls in the model request',
    async (speculation) => {
      const call = startToolCall(
        {
          stt: WORDS,
          llm: [{ say: LONG, call: [{ name: 'book', arguments: {} }] }, 'Done.'],
          stage: { tools: [httpTool('book')] },
          services: { limits: { transcriptionMs: 20_000, speculation } },
        },
        { answers: { '/book': { body: 'booked' } } },
      );
      await call.saySomething();
      await call.untilSpeaking();
      await call.transport.silence(call.clock, 800);
      await call.transport.speak(call.clock, 1000);
      await call.transport.silence(call.clock, 3000);
      const messages = call.llm.requests.at(-1)?.messages ?? [];
      expect(messages.map(({ role }) => role).slice(-4)).toEqual(['user', 'assistant', 'tool', 'user']);
      expect(messages.at(-4)?.content).toBe(WORDS[0]);
      expect(messages.at(-1)?.content).toBe(WORDS[1]);
      expect(call.messages[0]).toBe(`USER: ${WORDS.join(' ')}`);
      await call.hangUp();
    },
  );
});
