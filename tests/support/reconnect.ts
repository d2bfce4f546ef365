import { expect } from '@jest/globals';
import { expectNothingLeft, resumeCall, type ScriptedCall } from './scripted-call.ts';

/** Returns the transcript that a client shows after all its connections. */
export function shown(...calls: ScriptedCall[]): string[] {
  const entries: string[] = [];
  for (const { what } of calls.flatMap(({ transport }) => transport.messages)) {
    if (what.type !== 'transcript') continue;
    const { ordinal, role, text, delta } = what;
    entries[ordinal] =
      text === null ? `${entries[ordinal] ?? `${role}: `}${delta ?? ''}` : `${role}: ${text}`;
  }
  return entries;
}

/** Breaks the connection, reconnects after two seconds and plays the response of the agent completely. */
export async function reconnect(call: ScriptedCall): Promise<ScriptedCall> {
  await call.loseConnection();
  expect(call.suspended).not.toBeNull();
  expectNothingLeft(call);
  await call.clock.advance(1900);
  const again = resumeCall(call);
  await again.transport.silence(call.clock, 5000);
  return again;
}

/** Ends the call and checks that it leaves no resources and reported each message exactly once. */
export async function finish(...calls: ScriptedCall[]): Promise<void> {
  const last = calls.at(-1);
  if (!last) return;
  await last.hangUp();
  expect(last.outcome?.reason).toBe('hangup');
  const ids = last.entries.map(
    ({ callStageId, callStageMessageIndex }) => `${callStageId}.${callStageMessageIndex}`,
  );
  expect(new Set(ids).size).toBe(ids.length);
  const utterances = shown(...calls);
  // There are no gaps in the ordinals.
  expect(Object.keys(utterances)).toHaveLength(utterances.length);
}
