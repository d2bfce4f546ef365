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

/** `queryCorpus` as a call has it. */
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

/** One utterance, of which each pause has the next transcript. */
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

/** A call whose corpus needs RETRIEVAL_MS, and the queries that it gets. */
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
  it('is recorded as a call event with what was retrieved', async () => {
    const { call, queries } = startKnowledgeCall({
      stt: ['when is breakfast'],
      llm: [{ call: [{ name: 'queryCorpus', arguments: { query: 'breakfast' } }] }, 'From seven to ten.'],
      stage: { tools: [queryCorpus({ everyTurn: false })] },
    });
    await call.saySomething();
    await call.transport.silence(call.clock, 3000);
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
    expectNothingLeft(call);
  });

  describe('that is searched for the words of every turn', () => {
    const everyTurn = { tools: [queryCorpus({ everyTurn: true })] };

    /** Time to the first sound of the response, and the queries. */
    async function respond(scripts: Scripts): Promise<{ latencyMs: number; queries: string[] }> {
      const { call, queries, open } = startKnowledgeCall({ stt: ['when is breakfast'], ...scripts });
      await call.saySomething();
      await call.transport.silence(call.clock, 3000);
      expect(call.messages.at(-1)).toBe('AGENT: From seven to ten.');
      expect(call.noted('knowledge')).toHaveLength(1);
      await call.hangUp();
      expectNothingLeft(call);
      expect(open()).toBe(0);
      return { latencyMs: call.latencies.at(-1) ?? Number.NaN, queries };
    }

    it('responds earlier, by a request of the model', async () => {
      const byModel = await respond({
        llm: [{ call: [{ name: 'queryCorpus', arguments: { query: 'breakfast' } }] }, 'From seven to ten.'],
        stage: { tools: [queryCorpus({ everyTurn: false })] },
      });
      const byTurn = await respond({ llm: ['From seven to ten.'], stage: everyTurn });
      expect(byTurn.queries).toEqual(['when is breakfast']);
      expect(byModel.latencyMs - byTurn.latencyMs).toBe(MODEL_MS);
    });

    it('begins at the first pause, unless the machine has no capacity for early responses', async () => {
      const early = await respond({ llm: ['From seven to ten.'], stage: everyTurn });
      const services = { limits: { transcriptionMs: 2000, speculation: false } };
      const late = await respond({ llm: ['From seven to ten.'], stage: everyTurn, services });
      // The silence between the first transcript and the end of the turn.
      expect(late.latencyMs - early.latencyMs).toBe(240);
    });

    it('gives the model the passages like those of a tool that it called', async () => {
      const { call } = startKnowledgeCall({
        stt: ['when is breakfast'],
        llm: ['From seven to ten.'],
        stage: everyTurn,
      });
      await call.saySomething();
      await call.transport.silence(call.clock, 3000);
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
      expectNothingLeft(call);
    });

    it.each([
      ['once for words that are similar', 'when is breakfast on Sundays please', 1],
      ['again for other words', 'when is breakfast and where is the pool', 2],
    ])('is searched %s after a pause', async (_title, continued, count) => {
      const { call, queries, open } = startKnowledgeCall({
        llm: ['From seven to ten.'],
        stage: everyTurn,
        services: (clock) => ({
          speechToText: new GrowingSpeech(clock, ['when is breakfast on Sundays', continued]),
        }),
      });
      await call.transport.speak(call.clock, 600);
      // Long enough for a transcript, and too short to end the turn.
      await call.transport.silence(call.clock, 300);
      await call.transport.speak(call.clock, 600);
      await call.transport.silence(call.clock, 3000);
      expect(call.messages[0]).toBe(`USER: ${continued}`);
      expect(queries).toEqual(['when is breakfast on Sundays', continued].slice(0, count));
      // Only what led to the response.
      expect(call.noted('knowledge')).toHaveLength(1);
      await call.hangUp();
      expectNothingLeft(call);
      expect(open()).toBe(0);
    });

    it('responds without passages if the search fails', async () => {
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
      await call.saySomething();
      await call.transport.silence(call.clock, 3000);
      expect(call.messages.at(-1)).toBe('AGENT: I cannot look it up.');
      expect([call.noted('tool_error').length, call.noted('knowledge').length]).toEqual([1, 0]);
      await call.hangUp();
      expectNothingLeft(call);
    });

    it('ends its search with the call', async () => {
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
