import { describe, expect, it } from '@jest/globals';
import { startCall } from '../support/scripted-call.ts';

describe('ConversationLog', () => {
  it('retains the newest megabyte for the model and publishes every message', async () => {
    const call = startCall({ llm: ['Yes.'] });
    for (let i = 0; i < 40; i += 1) {
      call.transport.say({
        type: 'user_text_message',
        text: String(i).padEnd(50_000, '.'),
        urgency: 'later',
      });
    }
    call.transport.say({ type: 'user_text_message', text: 'Now?' });
    await call.transport.silence(call.clock, 1000);
    const asked = call.llm.requests[0]?.messages ?? [];
    expect(asked.at(-1)).toEqual({ role: 'user', content: 'Now?' });
    expect(asked).toHaveLength(1 + 20 + 1);
    expect(call.entries.map(({ callStageMessageIndex }) => callStageMessageIndex)).toEqual(
      Array.from({ length: 42 }, (_, i) => i),
    );
    await call.hangUp();
  });
});
