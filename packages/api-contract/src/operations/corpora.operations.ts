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
import { defineList, defineOperation } from './operation.ts';

const tag = 'Corpora';
const path = '/api/corpora/{corpus_id}';
const sourcePath = '/api/corpora/{corpus_id}/sources/{source_id}';
const EXACTLY_ONE =
  'Exactly one of `crawl`, `upload`, `advanced` and `loadSpec` (the older name of `crawl`).';

export const listCorpora = defineList({
  id: 'listCorpora',
  path: '/api/corpora',
  tag,
  summary: 'Lists the corpora of the account, newest first.',
  item: Corpus.Response,
  itemName: 'Corpus',
});

export const createCorpus = defineOperation({
  id: 'createCorpus',
  method: 'POST',
  path: '/api/corpora',
  tag,
  summary: 'Creates a corpus, empty so far.',
  body: Corpus.Request,
  status: 201,
  response: Corpus.Response,
});

export const getCorpus = defineOperation({
  id: 'getCorpus',
  method: 'GET',
  path,
  tag,
  summary: 'Gets a corpus.',
  status: 200,
  response: Corpus.Response,
});

export const replaceCorpus = defineOperation({
  id: 'replaceCorpus',
  method: 'PUT',
  path,
  tag,
  summary: 'Replaces name and description of a corpus.',
  body: Corpus.Request,
  status: 200,
  response: Corpus.Response,
});

export const updateCorpus = defineOperation({
  id: 'updateCorpus',
  method: 'PATCH',
  path,
  tag,
  summary: 'Changes a corpus.',
  body: Corpus.Patch,
  status: 200,
  response: Corpus.Response,
});

export const deleteCorpus = defineOperation({
  id: 'deleteCorpus',
  method: 'DELETE',
  path,
  tag,
  summary: 'Deletes a corpus with all that is in it.',
  status: 204,
});

export const queryCorpus = defineOperation({
  id: 'queryCorpus',
  method: 'POST',
  path: '/api/corpora/{corpus_id}/query',
  tag,
  summary: 'Finds the passages that answer a query best.',
  description:
    'Best first. A score above 0.5 says that the passage has all that was asked for. "Quoted words" belong together, a word behind a hyphen must not occur.',
  body: QueryCorpusRequest,
  status: 200,
  response: Type.Array(CorpusQueryResult),
});

export const createCorpusUpload = defineOperation({
  id: 'createCorpusUpload',
  method: 'POST',
  path: '/api/corpora/{corpus_id}/uploads',
  tag,
  summary: 'Gives a URL to upload one file to.',
  description:
    'PUT the file to `presignedUrl` within five minutes, with its MIME type as Content-Type and at most 10 MiB. Then name the document in a source.',
  body: CorpusUploadsRequest,
  status: 201,
  response: CorpusUploadsResponse,
});

export const listCorpusSources = defineList({
  id: 'listCorpusSources',
  path: '/api/corpora/{corpus_id}/sources',
  tag,
  summary: 'Lists the sources of a corpus, newest first.',
  item: CorpusSource.Response,
  itemName: 'CorpusSource',
});

export const createCorpusSource = defineOperation({
  id: 'createCorpusSource',
  method: 'POST',
  path: '/api/corpora/{corpus_id}/sources',
  tag,
  summary: 'Adds a source to a corpus and begins to load it.',
  description: EXACTLY_ONE,
  body: CorpusSource.Request,
  status: 201,
  response: CorpusSource.Response,
});

export const getCorpusSource = defineOperation({
  id: 'getCorpusSource',
  method: 'GET',
  path: sourcePath,
  tag,
  summary: 'Gets a source of a corpus.',
  status: 200,
  response: CorpusSource.Response,
});

export const replaceCorpusSource = defineOperation({
  id: 'replaceCorpusSource',
  method: 'PUT',
  path: sourcePath,
  tag,
  summary: 'Replaces a source and loads it again.',
  description: EXACTLY_ONE,
  body: CorpusSource.Request,
  status: 200,
  response: CorpusSource.Response,
});

export const updateCorpusSource = defineOperation({
  id: 'updateCorpusSource',
  method: 'PATCH',
  path: sourcePath,
  tag,
  summary: 'Changes a source.',
  description: 'Where it says what to load from, also the same as before, the source is loaded again.',
  body: CorpusSource.Patch,
  status: 200,
  response: CorpusSource.Response,
});

export const deleteCorpusSource = defineOperation({
  id: 'deleteCorpusSource',
  method: 'DELETE',
  path: sourcePath,
  tag,
  summary: 'Deletes a source with its documents.',
  status: 204,
});

export const listCorpusDocuments = defineList({
  id: 'listCorpusDocuments',
  path: '/api/corpora/{corpus_id}/sources/{source_id}/documents',
  tag,
  summary: 'Lists the documents of a source, newest first.',
  item: CorpusDocument,
  itemName: 'CorpusDocument',
});

export const getCorpusDocument = defineOperation({
  id: 'getCorpusDocument',
  method: 'GET',
  path: '/api/corpora/{corpus_id}/sources/{source_id}/documents/{document_id}',
  tag,
  summary: 'Gets a document of a source.',
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
