import { describe, expect, it } from '@jest/globals';
import { callLogEntryValidator, type CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { StageSpec } from '@calls/api-contract/call-spec';
import type { StageRequest } from '@calls/conversation/ports/tools';
import { rebuildCall } from '@calls/conversation/resume/rebuild-call';
import type { ModelMessage } from '@calls/engine-ports/language-model';
import { stageSpec } from '@calls/testkit/call-spec';
import type { ScriptedCalls } from '@calls/testkit/scripted/scripted-providers';
import fc from 'fast-check';
import {
  expectNothingLeft,
  resumeCall,
  startCall,
  type ScriptedCall as Call,
} from '../support/scripted-call.ts';
import { builtInTool, clientTool, httpTool, scriptedToolServer } from '../support/scripted-tools.ts';

const CALLS = 60;

/** Utterances in order. No utterance is contained in another. */
const SPOKEN = {
  turns: ['book it', 'what time', 'for two', 'on monday', 'my number', 'a window', 'call me', 'by train'],
  backchannels: ['mm-hm', 'okay', 'right', 'yeah', 'got it', 'sure', 'cool', 'exactly'],
};

const tools = (): StageSpec['tools'] => [
  httpTool('fast', { precomputable: true }),
  httpTool('slow', { timeout: '20s' }),
  httpTool('static', { staticResponse: { responseText: 'ok' } }),
  httpTool('transfer', { defaultReaction: 'AGENT_REACTION_LISTENS' }),
  httpTool('moved'),
  clientTool('shows'),
  builtInTool('playDtmfSounds'),
  builtInTool('waitForPrompt'),
];
const names = [
  'fast',
  'slow',
  'static',
  'transfer',
  'moved',
  'shows',
  'playDtmfSounds',
  'waitForPrompt',
  'unknown',
];

const calls = fc.array(
  fc.constantFrom(...names).map((name) => ({ name, arguments: {} })),
  { minLength: 1, maxLength: 3 },
);
const reply = fc.oneof(
  fc.constantFrom(
    'I see.',
    'fail' as const,
    'Half of CUT it.',
    'A long answer that takes its time. And goes on.',
  ),
  fc.record({ say: fc.constantFrom('', 'Let me look.'), call: calls }),
  fc.record({ say: fc.constantFrom('', 'Let me look.'), call: calls }),
);

const action = fc.oneof(
  fc.record({ do: fc.constant('speak' as const), ms: fc.constantFrom(200, 600, 1000) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(60, 500, 1500, 4000) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 900 }) }),
  fc.record({
    do: fc.constant('write' as const),
    urgency: fc.constantFrom('immediate' as const, 'soon' as const, 'later' as const),
  }),
  fc.record({
    do: fc.constant('medium' as const),
    medium: fc.constantFrom('voice' as const, 'text' as const),
  }),
  fc.record({ do: fc.constant('answer' as const) }),
  fc.record({ do: fc.constant('reconnect' as const), afterMs: fc.constantFrom(0, 3000) }),
  fc.record({
    do: fc.constant('force' as const),
    call: calls,
    content: fc.constantFrom('', 'The doctor is in.'),
    uninterruptible: fc.boolean(),
    urgency: fc.constantFrom('immediate' as const, 'soon' as const),
  }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

function start(replies: (string | ScriptedCalls)[], words: string[], delayMs: number): Call {
  const stage = { 'x-svc-response-type': 'new-stage' };
  return startCall({
    stt: words,
    llm: replies,
    stage: { tools: tools(), inactivityMessages: [{ delayMs: 3000, text: 'Hello?', hangUp: 'never' }] },
    tools: (clock) =>
      scriptedToolServer(clock, {
        delayMs,
        answers: {
          '/transfer': { headers: stage, body: '{}' },
          '/moved': { headers: stage, body: '{"initialMessages":[]}' },
          '/slow': { headers: { 'x-svc-update-call-state': '{"seen":true}' } },
        },
        stage: ({ stageId }) => stageSpec({ stageId, systemPrompt: 'Another.', tools: tools() }),
      }),
  });
}

/** Performs an action on the newest connection of a call. */
async function act(connections: Call[], answered: Set<string>, each: Action): Promise<void> {
  const call = lastOf(connections);
  const { transport, clock } = call;
  switch (each.do) {
    case 'speak':
      return transport.speak(clock, each.ms);
    case 'wait':
      return transport.silence(clock, each.ms);
    case 'write': {
      transport.say({ type: 'user_text_message', text: 'Written.', urgency: each.urgency });
      return;
    }
    case 'medium': {
      transport.say({ type: 'set_output_medium', medium: each.medium });
      return;
    }
    case 'reconnect': {
      await call.loseConnection();
      await checkFold(call);
      await clock.advance(each.afterMs);
      if (call.suspended) connections.push(resumeCall(call));
      return;
    }
    case 'force': {
      const { content, uninterruptible, urgency } = each;
      const toolCalls = each.call.map((made) => ({ ...made, id: 'theirs' }));
      transport.say({ type: 'forced_agent_message', content, uninterruptible, urgency, toolCalls });
      return;
    }
    case 'answer':
      for (const { what } of transport.messages) {
        if (what.type !== 'client_tool_invocation' || answered.has(what.invocationId)) continue;
        answered.add(what.invocationId);
        transport.say({ type: 'client_tool_result', invocationId: what.invocationId, result: 'shown' });
      }
  }
}

function lastOf(connections: readonly Call[]): Call {
  const last = connections.at(-1);
  if (!last) throw new Error('a call has a connection');
  return last;
}

/** Checks that another worker rebuilds the same state from the log of the call. */
async function checkFold({ suspended, spec, events }: Call): Promise<void> {
  if (!suspended) return;
  const { usage, ...snapshot } = suspended.snapshot;
  const { callId, accountId } = spec;
  const joined = { type: 'joined', clientVersion: null, workerId: 'w' } as const;
  const log = [joined, ...events].map((body, i) => {
    return { callId, accountId, seq: i + 1, epoch: 1, wallClockMs: snapshot.joinedAtMs, body };
  });
  const stages = {
    resolve: ({ stageId }: StageRequest) => Promise.resolve({ ...snapshot.stage, stageId }),
  };
  const { signal } = new AbortController();
  const { usage: rebuiltUsage, ...rebuilt } = await rebuildCall(spec, log, stages, signal);
  expect(rebuilt).toEqual(snapshot);
  // The log contains no usage after the last message.
  expect(rebuiltUsage.inputTokens).toBeLessThanOrEqual(usage.inputTokens);
}

/** True if exactly one result follows each tool call and ids are unique, as model servers require. */
function isFit(messages: readonly ModelMessage[]): boolean {
  const ids = messages
    .flatMap((each) => (each.role === 'assistant' ? (each.toolCalls ?? []) : []))
    .map(({ id }) => id);
  const open: string[] = [];
  for (const each of messages) {
    if (each.role === 'tool') {
      if (open.shift() !== each.toolCallId) return false;
    } else if (open.length > 0) return false;
    if (each.role === 'assistant') open.push(...(each.toolCalls ?? []).map(({ id }) => id));
  }
  return open.length === 0 && new Set(ids).size === ids.length;
}

/** Checks that recognized words are in exactly one user message or dismissal event. */
function expectNoWordsLost({ stt, entries, noted }: Call): void {
  const said = entries.filter(({ role }) => role === 'MESSAGE_ROLE_USER');
  // A new stage begins with copies of the messages.
  const messages = new Map(
    said.map(({ text = '', timespan }) => [`${timespan?.start} ${text}`, text]),
  ).values();
  const dismissed = noted('speech_dismissed').flatMap((event) => {
    const extras = event.type === 'noted' ? event.extras : null;
    const text = extras?.['text'];
    return typeof text === 'string' ? [text] : [];
  });
  const shown = [...messages, ...dismissed].join('\n');
  expect([...stt.given].filter((words) => shown.split(words).length !== 2)).toEqual([]);
}

function check(connections: readonly Call[]): void {
  const call = lastOf(connections);
  const { callId, accountId } = call.spec;
  const envelope = (body: CallLogEntryBody) => ({
    callId,
    accountId,
    seq: 1,
    epoch: 1,
    wallClockMs: 0,
    body,
  });
  expect(call.events.flatMap((body) => callLogEntryValidator.issues(envelope(body)))).toEqual([]);
  expect(call.noted('internal_error')).toEqual([]);
  expect(call.llm.requests.filter(({ messages }) => !isFit(messages))).toEqual([]);
  expectNoWordsLost(call);
  const indexes = new Map<string, number>();
  for (const { callStageId = '', callStageMessageIndex } of call.entries) {
    expect(callStageMessageIndex).toBe(indexes.get(callStageId) ?? 0);
    indexes.set(callStageId, (callStageMessageIndex ?? 0) + 1);
  }
  const results = call.entries.filter(({ role }) => role === 'MESSAGE_ROLE_TOOL_RESULT');
  const perStage = results.map(
    ({ callStageId, invocationId }) => `${callStageId ?? ''} ${invocationId ?? ''}`,
  );
  expect(new Set(perStage).size).toBe(perStage.length);
  for (const { transport } of connections) {
    const twice = transport.messages.flatMap(({ what }) =>
      what.type === 'transcript' && what.final && what.role === 'agent' ? [what.ordinal] : [],
    );
    expect(new Set(twice).size).toBe(twice.length);
  }
  const finals = new Set(
    connections.flatMap(({ transport }) =>
      transport.messages.flatMap(({ what }) =>
        what.type === 'transcript' && what.final ? [what.ordinal] : [],
      ),
    ),
  );
  expect([...finals].sort((a, b) => a - b)).toEqual([...finals].map((_ordinal, index) => index));
}

describe('random calls', () => {
  it(`stay consistent and release everything (${CALLS} calls)`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(reply, { minLength: 12, maxLength: 12 }),
        fc.array(fc.constantFrom('turns' as const, 'backchannels' as const, null), {
          minLength: 8,
          maxLength: 8,
        }),
        fc.constantFrom(40, 400, 2500),
        fc.array(action, { minLength: 4, maxLength: 20 }),
        async (replies, spoken, delayMs, actions) => {
          const words = spoken.map((kind, i) => (kind === null ? '' : (SPOKEN[kind][i] ?? '')));
          const connections = [start(replies, words, delayMs)];
          const answered = new Set<string>();
          for (const each of actions)
            if (!lastOf(connections).outcome) await act(connections, answered, each);
          const call = lastOf(connections);
          await call.hangUpDuringTools();
          check(connections);
          const before = call.events.length;
          await call.clock.advance(30_000);
          expect(call.events).toHaveLength(before);
          expectNothingLeft(call);
        },
      ),
      { numRuns: CALLS },
    );
  });
});
