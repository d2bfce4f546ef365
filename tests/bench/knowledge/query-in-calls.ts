import { Api } from '../../support/api.ts';
import { readBenchOptions } from '../bench-options.ts';
import { startBenchStack } from '../bench-stack.ts';
import { distributionOf, type Distribution } from '../distribution.ts';

const QUESTIONS_PER_CALL = 10;
const ANSWER = 'That is in the manual.';

interface QueriedCorpus {
  databaseUrl: string;
  corpusId: string;
  /** Makes an account the owner of the corpus. */
  giveTo: (accountId: string) => Promise<unknown>;
  /** The `EMBEDDING_` variables. */
  env: Readonly<Record<string, string>>;
}

/**
 * Durations of `queryCorpus` in calls on the whole system, in ms: from the request of the model to the passages in the
 * media-worker, as reported by the `knowledge` call event. The questions are sent as text, one at a time.
 */
export async function queryInCalls(
  corpus: QueriedCorpus,
  questions: readonly string[],
): Promise<Distribution> {
  const { databaseUrl, corpusId, env } = corpus;
  await using bench = await startBenchStack(readBenchOptions([]), { databaseUrl, env });
  const api = new Api(bench.stack);
  const { body: me } = await api.request<{ accountId: string }>('GET', '/api/accounts/me');
  await corpus.giveTo(me.accountId);
  const times: number[] = [];
  for (let start = 0; start < questions.length; start += QUESTIONS_PER_CALL) {
    const asked = questions.slice(start, start + QUESTIONS_PER_CALL);
    const rules = asked.map((text) => ({
      last: 'user' as const,
      contains: text,
      reply: { toolCalls: [{ name: 'queryCorpus', arguments: { query: text } }] },
    }));
    await bench.standIn.control({
      llm: { rules: [...rules, { last: 'tool', contains: '', reply: ANSWER }] },
    });
    const { call, client } = await api.startCall({
      initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
      firstSpeakerSettings: { user: {} },
      selectedTools: [{ toolName: 'queryCorpus', parameterOverrides: { corpus_id: corpusId } }],
    });
    for (const [i, text] of asked.entries()) {
      client.send({ type: 'user_text_message', text });
      const answers = (): number => client.transcript.filter((line) => line.text === ANSWER).length;
      await client.until('an answer', () => answers() > i);
    }
    await client.hangUp();
    await api.endedCall(call.callId);
    const found = (await api.events(call.callId)).filter(({ type }) => type === 'knowledge');
    times.push(...found.map(({ extras }) => Number(extras?.['durationMs'])));
  }
  if (times.length !== questions.length)
    throw new Error(`${times.length} of ${questions.length} queries found passages`);
  return distributionOf(times);
}
