import { describe, expect, it } from '@jest/globals';
import type { CallToolSpec } from '@calls/api-contract/call-spec';
import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import type { TranscriptionOptions } from '@calls/engine-ports/speech-to-text';
import { delay, type Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { ScriptedSpeechToText } from '@calls/testkit/scripted/scripted-providers';
import { expectNothingLeft, startCall, type Scripts } from '../support/scripted-call.ts';
import { builtInTool, scriptedToolServer } from '../support/scripted-tools.ts';

const body = { location: 'PARAMETER_LOCATION_BODY' } as const;
const CORPUS_ID = newId();
const RETRIEVAL_MS = 300;
const MODEL_MS = 250;

const PASSAGE: CorpusQueryResult = {
  content: `Breakfast\n\n${'Breakfast is from seven to ten. '.repeat(20)}`,
  score: 0.75,
  citation: { sourceId: 's', documentId: 'd', title: 'House rules', publicUrl: 'https://example.com/rules' },
};

/** The built-in tool `queryCorpus`. */
function queryCorpus({ everyTurn }: { everyTurn: boolean }): CallToolSpec {
  return builtInTool('queryCorpus', {
    dynamicParameters: [{ ...body, name: 'query', schema: { type: 'string' }, required: true }],
    staticParameters: [
      { ...body, name: 'corpus_id', value: CORPUS_ID },
      { ...body, name: 'every_turn', value: everyTurn },
    ],
    precomputable: true,
  });
}

/** Returns the next transcript at each pause of an utterance. */
class GrowingSpeech extends ScriptedSpeechToText {
  readonly #transcripts: string[];

  constructor(clock: Clock, transcripts: string[]) {
    super(clock, 120, ['…']);
    this.#transcripts = transcripts;
  }

  override open(options: TranscriptionOptions): ReturnType<ScriptedSpeechToText['open']> {
    const stream = super.open(options);
    return {
      ...stream,
      finalize: async () => ({
        ...(await stream.finalize()),
        text: (this.#transcripts.length > 1 ? this.#transcripts.shift() : this.#transcripts[0]) ?? '',
      }),
    };
  }
}

/** Starts a call with a corpus that responds after RETRIEVAL_MS, and records the queries. */
function startKnowledgeCall(
  scripts: Scripts,
  passages: () => readonly CorpusQueryResult[] = () => [PASSAGE],
) {
  const queries: string[] = [];
  let open = 0;
  const tools = (clock: Clock) => ({
    ...scriptedToolServer(clock, {}),
    corpora: {
      async query({ query }: { query: string }, signal: AbortSignal) {
        queries.push(query);
        open += 1;
        try {
          await delay(clock, RETRIEVAL_MS, signal);
          return passages();
        } finally {
          open -= 1;
        }
      },
    },
  });
  return { call: startCall({ llmDelayMs: MODEL_MS, ...scripts, tools }), queries, open: () => open };
}

describe('knowledge of a call', () => {
  it('is recorded as a call event with the retrieved passages', async () => {
    const { call, queries } = startKnowledgeCall({
      stt: ['when is breakfast'],
      llm: [{ call: [{ name: 'queryCorpus', arguments: { query: 'breakfast' } }] }, 'From seven to ten.'],
      stage: { tools: [queryCorpus({ everyTurn: false })] },
    });
    await call.saySomething(3000);
    expect(queries).toEqual(['breakfast']);
    const result = call.entries.find(({ role }) => role === 'MESSAGE_ROLE_TOOL_RESULT');
    expect(call.noted('knowledge')).toMatchObject([
      {
        severity: 'info',
        text: 'Passages found in the knowledge base: 1.',
        extras: {
          toolName: 'queryCorpus',
          invocationId: result?.invocationId,
          corpusId: CORPUS_ID,
          query: 'breakfast',
          durationMs: RETRIEVAL_MS,
          passages: [{ ...PASSAGE.citation, score: 0.75, excerpt: PASSAGE.content.slice(0, 300) }],
        },
      },
    ]);
    await call.hangUp();
  });

  describe('when searched on every turn', () => {
    const everyTurn = { tools: [queryCorpus({ everyTurn: true })] };

    /** The latency of the response, and the queries. */
    async function respond(scripts: Scripts): Promise<{ latencyMs: number; queries: string[] }> {
      const { call, queries, open } = startKnowledgeCall({ stt: ['when is breakfast'], ...scripts });
      await call.saySomething(3000);
      expect(call.messages.at(-1)).toBe('AGENT: From seven to ten.');
      expect(call.noted('knowledge')).toHaveLength(1);
      await call.hangUp();
      expect(open()).toBe(0);
      return { latencyMs: call.latencies.at(-1) ?? Number.NaN, queries };
    }

    it('makes the response earlier by the latency of one model request', async () => {
      const byModel = await respond({
        llm: [{ call: [{ name: 'queryCorpus', arguments: { query: 'breakfast' } }] }, 'From seven to ten.'],
        stage: { tools: [queryCorpus({ everyTurn: false })] },
      });
      const byTurn = await respond({ llm: ['From seven to ten.'], stage: everyTurn });
      expect(byTurn.queries).toEqual(['when is breakfast']);
      expect(byModel.latencyMs - byTurn.latencyMs).toBe(MODEL_MS);
    });

    it('is searched at the first pause, unless the worker has no capacity for speculation', async () => {
      const early = await respond({ llm: ['From seven to ten.'], stage: everyTurn });
      const services = { limits: { transcriptionMs: 2000, speculation: false } };
      const late = await respond({ llm: ['From seven to ten.'], stage: everyTurn, services });
      // The silence between the first transcript and the end of the turn.
      expect(late.latencyMs - early.latencyMs).toBe(240);
    });

    it('reaches the model as the result of a tool call', async () => {
      const { call } = startKnowledgeCall({
        stt: ['when is breakfast'],
        llm: ['From seven to ten.'],
        stage: everyTurn,
      });
      await call.saySomething(3000);
      const invocationId = call.entries.find(({ role }) => role === 'MESSAGE_ROLE_TOOL_CALL')?.invocationId;
      const toolCall = { id: invocationId, name: 'queryCorpus', arguments: '{"query":"when is breakfast"}' };
      expect(call.llm.requests.at(-1)?.messages.slice(-3)).toEqual([
        { role: 'user', content: 'when is breakfast' },
        { role: 'assistant', content: '', toolCalls: [toolCall] },
        { role: 'tool', toolCallId: invocationId, content: JSON.stringify([PASSAGE]) },
      ]);
      expect(call.messages).toEqual([
        'USER: when is breakfast',
        'TOOL_CALL: {"query":"when is breakfast"}',
        `TOOL_RESULT: ${JSON.stringify([PASSAGE])}`,
        'AGENT: From seven to ten.',
      ]);
      await call.hangUp();
    });

    it.each([
      ['only once for similar words', 'when is breakfast on Sundays please', 1],
      ['again for different words', 'when is breakfast and where is the pool', 2],
    ])('is searched %s after a pause', async (_title, continued, count) => {
      const { call, queries, open } = startKnowledgeCall({
        llm: ['From seven to ten.'],
        stage: everyTurn,
        services: (clock) => ({
          speechToText: new GrowingSpeech(clock, ['when is breakfast on Sundays', continued]),
        }),
      });
      await call.transport.speak(call.clock, 600);
      // Long enough for a transcript, but too short to end the turn.
      await call.transport.silence(call.clock, 300);
      await call.transport.speak(call.clock, 600);
      await call.transport.silence(call.clock, 3000);
      expect(call.messages[0]).toBe(`USER: ${continued}`);
      expect(queries).toEqual(['when is breakfast on Sundays', continued].slice(0, count));
      // Only the search that the response used is reported.
      expect(call.noted('knowledge')).toHaveLength(1);
      await call.hangUp();
      expect(open()).toBe(0);
    });

    it('lets the agent respond without passages if the search fails', async () => {
      const { call } = startKnowledgeCall(
        {
          stt: ['when is breakfast', 'and lunch'],
          llm: ['I cannot look it up.', 'Nor that.'],
          stage: everyTurn,
        },
        () => {
          throw new Error('no corpus');
        },
      );
      await call.saySomething(3000);
      expect(call.messages.at(-1)).toBe('AGENT: I cannot look it up.');
      expect([call.noted('tool_error').length, call.noted('knowledge').length]).toEqual([1, 0]);
      await call.hangUp();
    });

    it('cancels its search when the call ends', async () => {
      const { call, open } = startKnowledgeCall({ stt: ['when is breakfast'], stage: everyTurn });
      await call.transport.speak(call.clock, 600);
      await call.transport.silence(call.clock, 300);
      expect(open()).toBe(1);
      await call.hangUp();
      expect(open()).toBe(0);
      expectNothingLeft(call);
    });
  });
});
