import {
  createCorpus,
  createCorpusUpload,
  deleteCorpus as deleteOperation,
  getCorpus,
  listCorpora,
  queryCorpus,
  replaceCorpus,
  updateCorpus as updateOperation,
} from '@calls/api-contract/operations/corpora.operations';
import type { Corpus } from '@calls/api-contract/rest/corpus';
import { DOCUMENT_MIME_TYPES, documentMimeType } from '@calls/corpora/mime-types';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import {
  corporaOf,
  findCorpus,
  insertCorpus,
  updateCorpus,
  type CorpusChange,
  type CorpusRow,
} from '@calls/store/tables/corpora';
import { deleteCorpus, insertUpload } from '@calls/store/tables/corpus-documents';
import { requestEmbedding } from '@calls/store/tables/corpus-vectors';
import { corpusView, retrievalOf } from '../corpora/corpus-views.ts';
import type { Knowledge } from '../corpora/knowledge.ts';
import type { UploadTokens } from '../corpora/upload-tokens.ts';
import type { ApiRouter } from './api-router.ts';
import { invalidRequest, orNotFound } from '../problems/problem.ts';

export interface CorpusRoutesDeps {
  db: Database;
  clock: Clock;
  uploadTokens: UploadTokens;
  knowledge: Knowledge;
  paging: { publicUrl: string };
}

const DEFAULT_RESULTS = 5;
const DEFAULT_RETRIEVAL = 'hybrid';

export function corpusRoutes(api: ApiRouter, deps: CorpusRoutesDeps): void {
  const { db, clock, knowledge } = deps;
  const view = (row: CorpusRow): Corpus => corpusView(row, knowledge.embeddingModel);
  const change = async (accountId: string, corpusId: string, to: CorpusChange): Promise<Corpus> => {
    const row = orNotFound('corpus', await updateCorpus(db, accountId, corpusId, to));
    if (to.retrieval !== undefined) await requestEmbedding(db, corpusId);
    return view(row);
  };

  api
    .list(listCorpora, ({ accountId }) => ({ source: corporaOf(db, accountId), item: view }))
    .on(createCorpus, async ({ accountId, body: { name = '', description = '', retrieval: given } }) => {
      const retrieval = retrievalOf(given) ?? DEFAULT_RETRIEVAL;
      const row = { corpus_id: newId(), account_id: accountId, name, description, retrieval };
      return view(await insertCorpus(db, { ...row, created_at: new Date(clock.wallMs()) }));
    })
    .on(getCorpus, async ({ accountId, params }) =>
      view(orNotFound('corpus', await findCorpus(db, accountId, params.corpus_id))),
    )
    .on(replaceCorpus, ({ accountId, params, body: { name = '', description = '', retrieval: given } }) => {
      const retrieval = retrievalOf(given) ?? DEFAULT_RETRIEVAL;
      return change(accountId, params.corpus_id, { name, description, retrieval });
    })
    .on(updateOperation, ({ accountId, params, body: { name, description, retrieval } }) =>
      change(accountId, params.corpus_id, { name, description, retrieval: retrievalOf(retrieval) }),
    )
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('corpus', await deleteCorpus(db, accountId, params.corpus_id));
    })
    .on(queryCorpus, async ({ accountId, params, body: { query, maxResults = DEFAULT_RESULTS } }) => {
      const request = { accountId, corpusId: params.corpus_id, query, maxResults };
      return orNotFound('corpus', await knowledge.query(request));
    })
    .on(createCorpusUpload, async ({ accountId, params, body: { mimeType: given, fileName = '' } }) => {
      const corpusId = params.corpus_id;
      const mimeType = documentMimeType(given);
      if (!mimeType) {
        const message = `must be one of ${DOCUMENT_MIME_TYPES.join(', ')}`;
        throw invalidRequest('request body', [{ path: 'mimeType', message }]);
      }
      const documentId = newId();
      const createdAt = new Date(clock.wallMs());
      const upload = { documentId, accountId, corpusId, createdAt, mimeType, fileName };
      orNotFound('corpus', await insertUpload(db, upload));
      const token = deps.uploadTokens.issue({ accountId, corpusId, documentId, mimeType });
      return { documentId, presignedUrl: new URL(`/uploads/${token}`, deps.paging.publicUrl).href };
    });
}
