import { expect } from '@jest/globals';
import { expectNothingLeft, resumeCall, type ScriptedCall } from './scripted-call.ts';

/** What a client that keeps its transcript over its connections shows in the end. */
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

/** Breaks the connection, reconnects after two seconds and plays the agent's response to its end. */
export async function reconnect(call: ScriptedCall): Promise<ScriptedCall> {
  await call.loseConnection();
  expect(call.suspended).not.toBeNull();
  expectNothingLeft(call);
  await call.clock.advance(1900);
  const again = resumeCall(call);
  await again.transport.silence(call.clock, 5000);
  return again;
}

/** Ends the call, which must leave nothing and tell each thing once. */
export async function finish(...calls: ScriptedCall[]): Promise<void> {
  const last = calls.at(-1);
  if (!last) return;
  await last.hangUp();
  expectNothingLeft(last);
  expect(last.outcome?.reason).toBe('hangup');
  const ids = last.entries.map(
    ({ callStageId, callStageMessageIndex }) => `${callStageId}.${callStageMessageIndex}`,
  );
  expect(new Set(ids).size).toBe(ids.length);
  const utterances = shown(...calls);
  // Dense.
  expect(Object.keys(utterances)).toHaveLength(utterances.length);
}
