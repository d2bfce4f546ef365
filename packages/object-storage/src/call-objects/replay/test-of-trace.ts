import type { Trace } from '@calls/conversation/replay/trace';

/** Generates a test that replays the trace and fails if the reducer decides differently. */
export function testOfTrace({ callId, initial, steps }: Trace): string {
  const lines = steps.map((step) => `    ${JSON.stringify(step)},`);
  return `import { expect, it } from '@jest/globals';
import { replayTrace, type Trace } from '@calls/conversation';

/** As it was decided in the call. What was wrong there: change its \`effects\` to what is right. */
const trace: Trace = {
  callId: ${JSON.stringify(callId)},
  initial: ${JSON.stringify(initial)},
  steps: [
${lines.join('\n')}
  ],
};

it(${JSON.stringify(`decides as it should in call ${callId}`)}, () => {
  for (const { atMs, event, effects, decided } of replayTrace(trace)) {
    expect({ atMs, event, effects: decided }).toEqual({ atMs, event, effects });
  }
});
`;
}
