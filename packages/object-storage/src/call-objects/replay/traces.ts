import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Trace } from '@calls/conversation/replay/trace';

/**
 * Finds the trace of a call in a folder of objects, including an unfinished one; null if there is none. `named`
 * may be a file instead of a call id.
 */
export async function findTrace(objectsDir: string, named: string): Promise<string | null> {
  if (named.endsWith('.jsonl')) return readFile(named, 'utf8');
  const folder = join(objectsDir, 'traces');
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const nameOf = (path: string): string => path.split(sep).at(-1) ?? '';
  const found =
    names.find((path) => nameOf(path) === `${named}.jsonl`) ??
    names.find((path) => nameOf(path).startsWith(`.${named}.jsonl.`));
  return found === undefined ? null : readFile(join(folder, found), 'utf8');
}

/** Generates a test that replays the trace and fails if the reducer decides differently. */
export function testOfTrace({ callId, initial, steps }: Trace): string {
  const lines = steps.map((step) => `    ${JSON.stringify(step)},`);
  return `import { expect, it } from '@jest/globals';
import { replayTrace } from '@calls/conversation/replay/replay-trace';
import type { Trace } from '@calls/conversation/replay/trace';

/** The decisions of the call. Correct wrong decisions by changing their \`effects\`. */
// prettier-ignore
const trace: Trace = {
  callId: ${JSON.stringify(callId)},
  initial: ${JSON.stringify(initial)},
  steps: [
${lines.join('\n')}
  ],
};

it(\`makes the expected decisions in call \${trace.callId}\`, () => {
  for (const { atMs, event, effects, decided } of replayTrace(trace)) {
    expect({ atMs, event, effects: decided }).toEqual({ atMs, event, effects });
  }
});
`;
}
