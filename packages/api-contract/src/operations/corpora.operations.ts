import { Type } from 'typebox';
import {
  Corpus,
  CorpusDocument,
  CorpusQueryResult,
  CorpusSource,
  CorpusUploadsRequest,
  CorpusUploadsResponse,
  QueryCorpusRequest,
} from '../rest/corpus.ts';
import {
  corpus,
  corpusBody,
  corpusDocument,
  corpusQueryResult,
  corpusSource,
  corpusSourceBody,
  corpusUpload,
} from './examples/corpora.examples.ts';
import { pageOf } from './examples/example-values.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Corpora';
const path = '/api/corpora/{corpus_id}';
const sourcePath = '/api/corpora/{corpus_id}/sources/{source_id}';

export const listCorpora = defineList({
  id: 'listCorpora',
  path: '/api/corpora',
  tag,
  summary: 'List corpora',
  description: 'Returns the corpora of the account, newest first.',
  example: { response: pageOf(corpus) },
  item: Corpus.Response,
  itemName: 'Corpus',
});

export const createCorpus = defineOperation({
  id: 'createCorpus',
  method: 'POST',
  path: '/api/corpora',
  tag,
  summary: 'Create a corpus',
  description: 'Creates an empty corpus. Add sources to fill it.',
  example: { body: corpusBody, response: corpus },
  body: Corpus.Request,
  status: 201,
  response: Corpus.Response,
});

export const getCorpus = defineOperation({
  id: 'getCorpus',
  method: 'GET',
  path,
  tag,
  summary: 'Get a corpus',
  description: 'Returns a corpus with its state and size.',
  example: { response: corpus },
  status: 200,
  response: Corpus.Response,
});

export const replaceCorpus = defineOperation({
  id: 'replaceCorpus',
  method: 'PUT',
  path,
  tag,
  summary: 'Replace a corpus',
  description: 'Replaces name, description and retrieval of a corpus. Its sources do not change.',
  example: { body: corpusBody, response: corpus },
  body: Corpus.Request,
  status: 200,
  response: Corpus.Response,
});

export const updateCorpus = defineOperation({
  id: 'updateCorpus',
  method: 'PATCH',
  path,
  tag,
  summary: 'Update a corpus',
  description: 'Changes name, description or retrieval of a corpus.',
  example: { body: { description: 'Answers to questions of guests.' }, response: corpus },
  body: Corpus.Patch,
  status: 200,
  response: Corpus.Response,
});

export const deleteCorpus = defineOperation({
  id: 'deleteCorpus',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete a corpus',
  description: 'Deletes a corpus with its sources and documents.',
  example: {},
  status: 204,
});

export const queryCorpus = defineOperation({
  id: 'queryCorpus',
  method: 'POST',
  path: '/api/corpora/{corpus_id}/query',
  tag,
  summary: 'Search a corpus',
  description:
    'Returns the passages that match a query best, the best first. A hyphen before a word excludes passages with that word. Full-text search looks for quoted words as a phrase.',
  example: { body: { query: 'When is breakfast?', maxResults: 3 }, response: [corpusQueryResult] },
  body: QueryCorpusRequest,
  status: 200,
  response: Type.Array(CorpusQueryResult),
});

export const createCorpusUpload = defineOperation({
  id: 'createCorpusUpload',
  method: 'POST',
  path: '/api/corpora/{corpus_id}/uploads',
  tag,
  summary: 'Create an upload URL',
  description:
    'Returns a URL for one file of at most 10 MiB. PUT the file there within five minutes with the same MIME type, then add its `documentId` to a source.',
  example: { body: { mimeType: 'application/pdf', fileName: 'handbook.pdf' }, response: corpusUpload },
  body: CorpusUploadsRequest,
  status: 201,
  response: CorpusUploadsResponse,
});

export const listCorpusSources = defineList({
  id: 'listCorpusSources',
  path: '/api/corpora/{corpus_id}/sources',
  tag,
  summary: 'List the sources of a corpus',
  description: 'Returns the sources of a corpus, newest first.',
  example: { response: pageOf(corpusSource) },
  item: CorpusSource.Response,
  itemName: 'CorpusSource',
});

export const createCorpusSource = defineOperation({
  id: 'createCorpusSource',
  method: 'POST',
  path: '/api/corpora/{corpus_id}/sources',
  tag,
  summary: 'Add a source to a corpus',
  description:
    'Adds a source and starts to load it. The body has exactly one of `crawl`, `upload`, `advanced` and `loadSpec`.',
  example: { body: corpusSourceBody, response: corpusSource },
  body: CorpusSource.Request,
  status: 201,
  response: CorpusSource.Response,
});

export const getCorpusSource = defineOperation({
  id: 'getCorpusSource',
  method: 'GET',
  path: sourcePath,
  tag,
  summary: 'Get a source of a corpus',
  description: 'Returns a source with its state and size.',
  example: { response: corpusSource },
  status: 200,
  response: CorpusSource.Response,
});

export const replaceCorpusSource = defineOperation({
  id: 'replaceCorpusSource',
  method: 'PUT',
  path: sourcePath,
  tag,
  summary: 'Replace a source of a corpus',
  description:
    'Replaces a source and loads it again. The body has exactly one of `crawl`, `upload`, `advanced` and `loadSpec`.',
  example: { body: corpusSourceBody, response: corpusSource },
  body: CorpusSource.Request,
  status: 200,
  response: CorpusSource.Response,
});

export const updateCorpusSource = defineOperation({
  id: 'updateCorpusSource',
  method: 'PATCH',
  path: sourcePath,
  tag,
  summary: 'Update a source of a corpus',
  description:
    'Changes a source. A body with `crawl`, `upload`, `advanced` or `loadSpec` loads the source again.',
  example: { body: { name: 'Web site' }, response: corpusSource },
  body: CorpusSource.Patch,
  status: 200,
  response: CorpusSource.Response,
});

export const deleteCorpusSource = defineOperation({
  id: 'deleteCorpusSource',
  method: 'DELETE',
  path: sourcePath,
  tag,
  summary: 'Delete a source of a corpus',
  description: 'Deletes a source with its documents.',
  example: {},
  status: 204,
});

export const listCorpusDocuments = defineList({
  id: 'listCorpusDocuments',
  path: '/api/corpora/{corpus_id}/sources/{source_id}/documents',
  tag,
  summary: 'List the documents of a source',
  description: 'Returns the documents of a source, newest first.',
  example: { response: pageOf(corpusDocument) },
  item: CorpusDocument,
  itemName: 'CorpusDocument',
});

export const getCorpusDocument = defineOperation({
  id: 'getCorpusDocument',
  method: 'GET',
  path: '/api/corpora/{corpus_id}/sources/{source_id}/documents/{document_id}',
  tag,
  summary: 'Get a document of a source',
  description: 'Returns the metadata of a document.',
  example: { response: corpusDocument },
  status: 200,
  response: CorpusDocument,
});

export const corpusOperations = [
  listCorpora,
  createCorpus,
  getCorpus,
  replaceCorpus,
  updateCorpus,
  deleteCorpus,
  queryCorpus,
  createCorpusUpload,
  listCorpusSources,
  createCorpusSource,
  getCorpusSource,
  replaceCorpusSource,
  updateCorpusSource,
  deleteCorpusSource,
  listCorpusDocuments,
  getCorpusDocument,
];
