import {
  createCorpusSource,
  deleteCorpusSource as deleteOperation,
  getCorpusDocument,
  getCorpusSource,
  listCorpusDocuments,
  listCorpusSources,
  replaceCorpusSource,
  updateCorpusSource as updateOperation,
} from '@calls/api-contract/operations/corpora.operations';
import type { CorpusSource, SourceSpec } from '@calls/api-contract/rest/corpus';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { Database } from '@calls/store/store';
import { hasCorpus } from '@calls/store/tables/corpora';
import {
  assignUploads,
  corpusDocumentsOf,
  deleteCorpusSource,
  findCorpusDocument,
} from '@calls/store/tables/corpus-documents';
import {
  corpusSourcesOf,
  findCorpusSource,
  insertCorpusSource,
  lockCorpus,
  lockCorpusSource,
  updateCorpusSource,
  type SourceKey,
} from '@calls/store/tables/corpus-sources';
import { corpusDocumentView, corpusSourceView } from '../corpora/corpus-views.ts';
import { choicesOf, specIssues, specOf } from '../corpora/source-spec.ts';
import type { ApiRouter } from './api-router.ts';
import { invalidRequest, orNotFound } from '../problems/problem.ts';

export interface CorpusSourceRoutesDeps {
  db: Database;
  clock: Clock;
  outbound: OutboundHttp;
}

export function corpusSourceRoutes(api: ApiRouter, { db, clock, outbound }: CorpusSourceRoutesDeps): void {
  /** The spec of the body; throws a problem unless there is exactly one. */
  const requiredSpec = (body: SourceSpec): SourceSpec => {
    const spec = specOf(body);
    const issues = specIssues(spec, outbound);
    if (issues.length > 0 || !spec) throw invalidRequest('request body', issues);
    return spec;
  };
  const optionalSpec = (body: SourceSpec): SourceSpec | undefined =>
    specOf(body) ? requiredSpec(body) : undefined;

  const change = async (
    key: SourceKey,
    to: { name?: string | undefined; description?: string | undefined; spec?: SourceSpec | undefined },
  ): Promise<CorpusSource> => {
    await db.transaction().execute(async (tx) => {
      orNotFound('corpus', await lockCorpus(tx, key.accountId, key.corpusId));
      orNotFound('source', await lockCorpusSource(tx, key));
      if (to.spec) await assign(tx, key, to.spec);
      await updateCorpusSource(tx, key.sourceId, to);
    });
    return show(db, key);
  };

  api
    .list(listCorpusSources, async ({ accountId, params }) => {
      orNotFound('corpus', await hasCorpus(db, accountId, params.corpus_id));
      return { source: corpusSourcesOf(db, accountId, params.corpus_id), item: corpusSourceView };
    })
    .on(createCorpusSource, async ({ accountId, params, body }) => {
      const { name = '', description = '' } = body;
      const spec = requiredSpec(body);
      const key = { accountId, corpusId: params.corpus_id, sourceId: newId() };
      await db.transaction().execute(async (tx) => {
        orNotFound('corpus', await lockCorpus(tx, accountId, key.corpusId));
        const createdAt = new Date(clock.wallMs());
        await insertCorpusSource(tx, { ...key, name, description, spec, createdAt });
        await assign(tx, key, spec);
      });
      return show(db, key);
    })
    .on(getCorpusSource, ({ accountId, params }) => show(db, keyOf(accountId, params)))
    .on(replaceCorpusSource, ({ accountId, params, body }) => {
      const { name = '', description = '' } = body;
      return change(keyOf(accountId, params), { name, description, spec: requiredSpec(body) });
    })
    .on(updateOperation, ({ accountId, params, body }) => {
      const { name, description } = body;
      return change(keyOf(accountId, params), { name, description, spec: optionalSpec(body) });
    })
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('source', await deleteCorpusSource(db, keyOf(accountId, params)));
    })
    .list(listCorpusDocuments, async ({ accountId, params }) => {
      const key = keyOf(accountId, params);
      orNotFound('source', await findCorpusSource(db, key));
      return { source: corpusDocumentsOf(db, key), item: corpusDocumentView };
    })
    .on(getCorpusDocument, async ({ accountId, params }) => {
      const key = keyOf(accountId, params);
      return corpusDocumentView(
        orNotFound('document', await findCorpusDocument(db, key, params.document_id)),
      );
    });
}

function keyOf(accountId: string, params: { corpus_id: string; source_id: string }): SourceKey {
  return { accountId, corpusId: params.corpus_id, sourceId: params.source_id };
}

async function show(db: Database, key: SourceKey): Promise<CorpusSource> {
  return corpusSourceView(orNotFound('source', await findCorpusSource(db, key)));
}

/**
 * Assigns to the source exactly the uploads of its spec. Throws a problem that lists the uploads that are not
 * available.
 */
async function assign(tx: Database, key: SourceKey, spec: SourceSpec): Promise<void> {
  const choices = choicesOf(spec);
  const refused = new Set(
    await assignUploads(
      tx,
      key,
      choices.map(({ choice }) => choice),
    ),
  );
  if (refused.size === 0) return;
  const message = 'must be an uploaded file of this corpus that no other source uses';
  throw invalidRequest(
    'request body',
    choices.filter(({ choice }) => refused.has(choice.documentId)).map(({ path }) => ({ path, message })),
  );
}
