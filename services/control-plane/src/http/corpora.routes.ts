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
import { retrievePassages } from '@calls/corpora/retrieval/retrieve-passages';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import { corporaOf, findCorpus, hasCorpus, insertCorpus, updateCorpus } from '@calls/store/tables/corpora';
import { deleteCorpus, insertUpload } from '@calls/store/tables/corpus-documents';
import { corpusView } from '../corpora/corpus-views.ts';
import type { UploadTokens } from '../corpora/upload-tokens.ts';
import type { ApiRouter } from './api-router.ts';
import { invalidRequest, orNotFound } from '../problems/problem.ts';

export interface CorpusRoutesDeps {
  db: Database;
  clock: Clock;
  uploadTokens: UploadTokens;
  paging: { publicUrl: string };
}

const DEFAULT_RESULTS = 5;

export function corpusRoutes(api: ApiRouter, deps: CorpusRoutesDeps): void {
  const { db, clock } = deps;
  const change = async (
    accountId: string,
    corpusId: string,
    to: { name?: string | undefined; description?: string | undefined },
  ): Promise<Corpus> => corpusView(orNotFound('corpus', await updateCorpus(db, accountId, corpusId, to)));

  api
    .list(listCorpora, ({ accountId }) => ({ source: corporaOf(db, accountId), item: corpusView }))
    .on(createCorpus, async ({ accountId, body: { name = '', description = '' } }) => {
      const row = { corpus_id: newId(), account_id: accountId, name, description };
      return corpusView(await insertCorpus(db, { ...row, created_at: new Date(clock.wallMs()) }));
    })
    .on(getCorpus, async ({ accountId, params }) =>
      corpusView(orNotFound('corpus', await findCorpus(db, accountId, params.corpus_id))),
    )
    .on(replaceCorpus, ({ accountId, params, body: { name = '', description = '' } }) =>
      change(accountId, params.corpus_id, { name, description }),
    )
    .on(updateOperation, ({ accountId, params, body }) => change(accountId, params.corpus_id, body))
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('corpus', await deleteCorpus(db, accountId, params.corpus_id));
    })
    .on(queryCorpus, async ({ accountId, params, body: { query, maxResults = DEFAULT_RESULTS } }) => {
      const corpusId = params.corpus_id;
      orNotFound('corpus', await hasCorpus(db, accountId, corpusId));
      return retrievePassages(db, { corpusId, query, maxResults });
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
