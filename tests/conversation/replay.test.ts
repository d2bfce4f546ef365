import { describe, expect, it } from '@jest/globals';
import { replayTrace } from '@calls/conversation/replay/replay-trace';
import { parseTrace } from '@calls/conversation/replay/trace';
import { ScriptedTraces } from '@calls/testkit/scripted/traces';
import { startCall } from '../support/scripted-call.ts';

describe('a replayed trace', () => {
  it('reproduces the opening, speech, responses, text and the end of the call', async () => {
    const traces = new ScriptedTraces();
    const call = startCall({
      stt: ['hello there', 'fail', 'fail', 'one more thing'],
      llm: ['A rather long answer, which goes on and on for a while.', 'Yes.', 'Of course.', 'Good bye.'],
      services: { traces },
    });
    await call.clock.advance(5000);
    for (let i = 0; i < 4; i += 1) await call.saySomething();
    call.session.receive({ type: 'user_text_message', text: 'And in writing?' });
    await call.clock.advance(5000);
    await call.saySomething();
    await call.hangUp();

    expect(traces.ends).toEqual(['closed']);
    const trace = parseTrace(traces.textByCall.get(call.spec.callId) ?? '');
    const steps = replayTrace(trace);
    expect(steps.filter(({ isSame }) => !isSame)).toEqual([]);
    const events = new Set(steps.map(({ event }) => event.type));
    for (const type of [
      'opened',
      'speech',
      'transcribed',
      'audio_started',
      'spoken',
      'text_received',
      'closed',
    ]) {
      expect(events).toContain(type);
    }
    expect(steps.at(-1)).toMatchObject({ event: { type: 'closed' }, to: 'closed' });
    expect(steps.every(({ atMs }, i) => i === 0 || atMs >= (steps[i - 1]?.atMs ?? 0))).toBe(true);
  });
});
