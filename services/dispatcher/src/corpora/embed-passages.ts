import { ProviderError } from '@calls/engine-ports/provider-error';
import type { TextEmbedder } from '@calls/engine-ports/text-embedder';
import type { Clock } from '@calls/foundation/clock';
import { AppError, toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import {
  nextEmbeddingBatch,
  releaseCorpusToEmbed,
  storeVectors,
  claimCorpusToEmbed,
  type CorpusToEmbed,
  type UnembeddedChunk,
} from '@calls/store/tables/corpus-vectors';

/** How long a run holds a corpus: longer than the run and its last request. */
const CLAIM_MS = 120_000;
/** Time limit of a run, so that other corpora have their turn. */
const RUN_MS = 15_000;
/** Pause after an error that may pass without a fix. */
const RETRY_MS = 30_000;
/** Pause after an error that the operator has to fix, such as a wrong key. */
const LONG_RETRY_MS = 10 * 60_000;

export interface EmbeddingDeps {
  db: Database;
  embedder: TextEmbedder;
  clock: Clock;
  log: Logger;
}

/**
 * Embeds passages that have no vector of the model, corpus by corpus, until none is due. Each stored batch is final, so
 * another run continues where one stopped. A failure ends the turn of a corpus, which is due again later.
 */
export async function embedPassages(deps: EmbeddingDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const corpus = await claimCorpusToEmbed(deps.db, CLAIM_MS);
    if (!corpus) return;
    await embedCorpus(deps, corpus, signal);
  }
}

async function embedCorpus(deps: EmbeddingDeps, corpus: CorpusToEmbed, signal: AbortSignal): Promise<void> {
  const { db, embedder, clock, log } = deps;
  const { model, maxTexts: limit } = embedder;
  const corpusId = corpus.corpus_id;
  const untilMs = clock.nowMs() + RUN_MS;
  let failure: { reason: string; retryMs: number } | null = null;
  let passages = 0;
  try {
    while (clock.nowMs() < untilMs && !signal.aborted) {
      const batch = await nextEmbeddingBatch(db, corpusId, { model, limit });
      if (!batch) break;
      const texts = batch.chunks.map(textOf);
      const vectors = texts.length === 0 ? [] : await embedder.embed(texts, signal);
      await storeVectors(db, corpus, batch, { model, vectors });
      passages += texts.length;
    }
  } catch (thrown) {
    if (!signal.aborted) {
      const err = toError(thrown);
      const isPassing = !(thrown instanceof AppError) || thrown.retryable;
      failure = { reason: reasonFor(thrown), retryMs: isPassing ? RETRY_MS : LONG_RETRY_MS };
      log.warn({ corpusId, passages, retryMs: failure.retryMs, err }, 'failed to embed passages; will retry');
    }
  }
  await releaseCorpusToEmbed(db, corpusId, { model, failure });
  if (passages > 0) log.info({ corpusId, passages, model }, 'passages embedded');
}

/** Returns the reason for the account, without the operator's endpoint. The log has the full error. */
function reasonFor(thrown: unknown): string {
  if (!(thrown instanceof ProviderError)) return 'internal error';
  const { kind } = thrown;
  if (kind === 'refused') return 'the embedding endpoint refused the request';
  if (kind === 'malformed') return 'the embedding endpoint sent an invalid response';
  return 'the embedding endpoint did not respond';
}

function textOf({ heading, content }: UnembeddedChunk): string {
  return heading === '' ? content : `${heading}\n\n${content}`;
}
