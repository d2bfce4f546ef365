import { describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CallState } from '@calls/api-contract/call-spec';
import type { MessageRole } from '@calls/api-contract/rest/enums';
import type { Message } from '@calls/api-contract/rest/message';
import type { StageRequest } from '@calls/conversation/ports/tools';
import { rebuildCall } from '@calls/conversation/resume/rebuild-call';
import type { CallSnapshot } from '@calls/conversation/session/call-snapshot';
import { newId } from '@calls/foundation/ids';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';

const earlier = {
  role: 'MESSAGE_ROLE_TOOL_RESULT',
  text: 'of an earlier call',
  callState: { old: true },
} as const;
const spec = callSpec({
  firstStage: stageSpec({ initialMessages: [earlier], initialState: { from: 'first' } }),
});
const first = spec.firstStage.stageId;
const second = newId();

const added = (stageId: string, index: number, message: Message): CallLogEntryBody => ({
  type: 'message_added',
  stageId,
  index,
  message,
});
const said = (stageId: string, index: number, role: MessageRole, callState?: CallState): CallLogEntryBody =>
  added(stageId, index, { role, text: `${role} ${index}`, ...(callState && { callState }) });
const begins = added(first, 0, earlier);
const user = said(first, 1, 'MESSAGE_ROLE_USER');
const agent = said(first, 2, 'MESSAGE_ROLE_AGENT');
const result = said(first, 3, 'MESSAGE_ROLE_TOOL_RESULT', { seen: true });
const carried = [begins, user].map((event, index) => ({ ...event, stageId: second, index }));

const joined = { type: 'joined', clientVersion: null, workerId: 'w1' } as const;
const stages = {
  resolve: ({ stageId }: StageRequest) =>
    Promise.resolve(stageSpec({ stageId, initialState: { own: true } })),
};

function fold(...events: CallLogEntryBody[]): Promise<CallSnapshot> {
  const { callId, accountId } = spec;
  const log = [joined, ...events].map((body, i) => {
    return { callId, accountId, seq: i + 1, epoch: 1, wallClockMs: 1000 + i, body };
  });
  return rebuildCall(spec, log, stages, new AbortController().signal);
}

describe('rebuildCall', () => {
  it('returns the initial state for an empty log', async () => {
    expect(await fold(begins)).toMatchObject({
      stage: spec.firstStage,
      state: { from: 'first' },
      messages: [{ ...earlier, role: 'tool_result' }],
      nextIndex: 1,
      nextOrdinal: 0,
      inMenu: false,
      shown: [],
      outputMedium: 'voice',
      joinedAtMs: 1000,
    });
  });

  it('restores messages, state and medium', async () => {
    const medium = { type: 'output_medium_set', medium: 'text' } as const;
    const usage = { inputTokens: 7, outputTokens: 3 };
    const folded = await fold(begins, user, { ...agent, usage } as CallLogEntryBody, result, medium);
    expect(folded).toMatchObject({
      nextIndex: 4,
      nextOrdinal: 2,
      state: { seen: true },
      outputMedium: 'text',
      usage,
    });
    expect(folded.shown.map(({ role }) => role)).toEqual(['user', 'agent']);
  });

  it('restores the answering party, a response that was cut off, and the phone menu state', async () => {
    const noted = (eventType: string, extras: Record<string, unknown>): CallLogEntryBody => ({
      ...{ type: 'noted', stageId: spec.firstStage.stageId, callTimestampMs: 1, severity: 'info' },
      ...{ eventType, text: '', extras },
    });
    const cut = noted('response_cut_off', { remainder: 'at ten.', interruptible: false });
    expect(await fold(begins, user, agent, cut)).toMatchObject({
      cutOff: { remainder: 'at ten.', interruptible: false },
    });
    const again = noted('response_cut_off', { remainder: null, interruptible: true });
    expect(await fold(begins, user, agent, again)).toMatchObject({
      cutOff: { remainder: null, interruptible: true },
    });
    const next = said(first, 3, 'MESSAGE_ROLE_AGENT');
    expect(await fold(begins, user, agent, cut, next)).toMatchObject({ cutOff: null });
    const human = noted('answered_by', { answeredBy: 'human', evidence: 'short_greeting', afterMs: 1 });
    const ivr = noted('answered_by', { answeredBy: 'ivr' });
    expect(await fold(begins, human)).toMatchObject({
      answer: { answeredBy: 'human', evidence: 'short_greeting' },
    });
    const inMenu = await fold(begins, human, ivr, noted('menu_began', { cause: 'detected' }));
    expect(inMenu).toMatchObject({ answer: { answeredBy: 'ivr', evidence: 'words' }, inMenu: true });
    const ended = noted('menu_ended', { cause: 'words' });
    expect(await fold(begins, noted('menu_began', {}), ended)).toMatchObject({ answer: null, inMenu: false });
  });

  it('restores the current stage with its own or the carried-over state', async () => {
    const began = { type: 'stage_began', stageId: second, messageCount: 2 } as const;
    expect(await fold(begins, user, agent, result, ...carried)).toMatchObject({
      stage: spec.firstStage,
      nextIndex: 4,
      nextOrdinal: 2,
    });
    expect(await fold(begins, user, agent, result, ...carried, began)).toMatchObject({
      stage: { stageId: second },
      state: { own: true },
      nextIndex: 2,
      nextOrdinal: 2,
    });
    const withState = { ...began, callState: { seen: true } };
    const later = await fold(
      begins,
      user,
      agent,
      result,
      ...carried,
      withState,
      said(second, 2, 'MESSAGE_ROLE_AGENT'),
    );
    expect(later).toMatchObject({
      stage: { stageId: second },
      state: { seen: true },
      nextIndex: 3,
      nextOrdinal: 3,
    });
    expect(later.messages).toHaveLength(3);
  });

  it('rejects when the client never joined or the stage is unavailable', async () => {
    const { signal } = new AbortController();
    await expect(rebuildCall(spec, [], stages, signal)).rejects.toThrow('no joined entry');
    const began = { type: 'stage_began', stageId: second, messageCount: 0 } as const;
    const { callId, accountId } = spec;
    const log = [joined, began].map((body, i) => {
      return { callId, accountId, seq: i + 1, epoch: 1, wallClockMs: 1000, body };
    });
    const silent = { resolve: () => Promise.reject(new Error('no responders')) };
    await expect(rebuildCall(spec, log, silent, signal)).rejects.toThrow('no responders');
  });
});
