import { createDocumentReader } from '@calls/corpora/extraction/document-reader';
import { toError } from '@calls/foundation/errors';
import type { Database } from '@calls/store/store';
import {
  finishSource,
  renewSourceClaim,
  releaseSource,
  claimSource,
  writeIfCurrent,
  type LoadingSource,
} from '@calls/store/tables/corpus-loading';
import { requestEmbedding } from '@calls/store/tables/corpus-vectors';
import { Crawl } from './crawl.ts';
import { loadNextUpload } from './load-next-upload.ts';
import type { LoadDeps, LoadRun } from './load-run.ts';

/** How long a run holds a source: longer than loading one document may take. */
const CLAIM_MS = 60_000;
/**
 * Time limit of a run. Another job then continues, so that a long source does not block others and the process can
 * stop.
 */
const RUN_MS = 20_000;

/**
 * Loads a source document by document. A loaded document is final, so the next run continues where an
 * interrupted run stopped. Does nothing if the revision is outdated or loaded, or if another run holds the
 * source. `runMs` is for tests.
 */
export async function loadSource(
  deps: LoadDeps,
  job: { sourceId: string; revision: number },
  signal: AbortSignal,
  runMs = RUN_MS,
): Promise<void> {
  const { db, clock, log } = deps;
  const source = await claimSource(db, job.sourceId, job.revision, CLAIM_MS);
  if (!source) return;
  let goOn = false;
  try {
    await using reader = createDocumentReader({ log });
    const run: LoadRun = { ...deps, source, reader, signal };
    const { crawl, loadSpec } = source.spec;
    const spec = crawl ?? loadSpec;
    const next = spec ? await Crawl.begin(run, spec) : () => loadNextUpload(run);
    const untilMs = clock.nowMs() + runMs;
    while (await next()) {
      goOn = clock.nowMs() >= untilMs;
      if (goOn || !(await renewSourceClaim(db, source, CLAIM_MS))) break;
    }
    if (goOn) return;
    const finish = (tx: Database): Promise<void> => finishSource(tx, source, new Date(clock.wallMs()));
    if (await writeIfCurrent(db, source, finish))
      log.info({ sourceId: source.source_id }, 'corpus source loaded');
  } finally {
    await release(db, source, goOn).catch((thrown: unknown) =>
      log.warn({ sourceId: source.source_id, err: toError(thrown) }, 'failed to release corpus source'),
    );
  }
}

async function release(db: Database, source: LoadingSource, goOn: boolean): Promise<void> {
  await releaseSource(db, source, goOn);
  await requestEmbedding(db, source.corpus_id);
}
