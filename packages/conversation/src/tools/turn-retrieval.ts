import type { CallToolSpec } from '@calls/api-contract/call-spec';
import type { ForcedToolCall } from '@calls/api-contract/data-messages/forced-agent-message';
import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import type { ModelRequest } from '@calls/engine-ports/language-model';
import { abortable, type Clock } from '@calls/foundation/clock';
import type { CorpusQueries } from '../ports/tools.ts';

const MAX_QUERY_CHARS = 1000;
/** A passage that was found before the user finished is used if they finish within this time. */
const MAX_AGE_MS = 10_000;
/** Two queries are similar if they share at least this part of all their words. */
const MIN_COMMON_SHARE = 0.8;

/** Whether the tool searches for the words of each user turn. */
export function searchesEveryTurn({ builtIn, definition }: CallToolSpec): boolean {
  return (
    builtIn === 'queryCorpus' &&
    (definition.staticParameters ?? []).some(({ name, value }) => name === 'every_turn' && value === true)
  );
}

/**
 * The tool calls that search for the user's words before the model is requested. Empty if the last message is not text
 * of the user, or if no tool searches every turn.
 */
export function retrievalsOfTurn(
  { messages }: Pick<ModelRequest, 'messages'>,
  tools: readonly CallToolSpec[],
): ForcedToolCall[] {
  const last = messages.at(-1);
  if (last?.role !== 'user' || typeof last.content !== 'string' || last.content.trim() === '') return [];
  const query = last.content.slice(-MAX_QUERY_CHARS);
  return tools.filter(searchesEveryTurn).map(({ name }) => ({ name, arguments: { query } }));
}

type CorpusQuery = Parameters<CorpusQueries['query']>[0];

interface Recent {
  query: CorpusQuery;
  startedMs: number;
  passages: Promise<readonly CorpusQueryResult[]>;
}

/**
 * Searches corpora. Reuses the newest result for a similar query, as when the user paused and then continued. A search
 * continues if its caller aborts, because the next query may use it.
 */
export class RecentRetrieval implements CorpusQueries {
  readonly #corpora: CorpusQueries;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  #newest: Recent | null = null;

  constructor(corpora: CorpusQueries, clock: Clock) {
    this.#corpora = corpora;
    this.#clock = clock;
  }

  query(query: CorpusQuery, signal: AbortSignal): Promise<readonly CorpusQueryResult[]> {
    const newest = this.#newest;
    const startedMs = this.#clock.nowMs();
    if (newest && startedMs - newest.startedMs <= MAX_AGE_MS && areSimilar(newest.query, query))
      return abortable(newest.passages, signal);
    const passages = this.#corpora.query(query, this.#closed.signal);
    const recent: Recent = { query, startedMs, passages };
    this.#newest = recent;
    passages.catch(() => {
      if (this.#newest === recent) this.#newest = null;
    });
    return abortable(passages, signal);
  }

  /** Aborts searches. */
  close(): void {
    this.#closed.abort(new Error('the call ended'));
  }
}

function areSimilar(a: CorpusQuery, b: CorpusQuery): boolean {
  if (a.corpusId !== b.corpusId || a.maxResults !== b.maxResults) return false;
  const [before, after] = [wordsOf(a.query), wordsOf(b.query)];
  const common = [...after].filter((word) => before.has(word)).length;
  const all = before.size + after.size - common;
  return all > 0 && common / all >= MIN_COMMON_SHARE;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
