import { exampleIds } from './example-values.ts';

export const corpusBody = {
  name: 'Handbook',
  description: 'What guests ask about.',
  retrieval: 'CORPUS_RETRIEVAL_HYBRID',
} as const;

export const corpus = {
  ...corpusBody,
  corpusId: exampleIds.corpus,
  created: '2026-03-02T09:00:00.000Z',
  stats: {
    status: 'CORPUS_STATUS_READY',
    lastUpdated: '2026-03-02T09:05:00.000Z',
    numChunks: 120,
    numDocs: 8,
    numVectors: 120,
    retrieval: 'CORPUS_RETRIEVAL_HYBRID',
    vectorSearch: 'CORPUS_VECTOR_SEARCH_HNSW',
  },
};

export const corpusUpload = {
  documentId: exampleIds.document,
  presignedUrl: `https://api.example.com/uploads/${exampleIds.document}?token=signed-token`,
};

export const corpusSourceBody = {
  name: 'Web site',
  crawl: { startUrls: ['https://example.com/'], maxDepth: 2, maxDocuments: 50 },
};

export const corpusSource = {
  ...corpusSourceBody,
  description: '',
  corpusId: exampleIds.corpus,
  sourceId: exampleIds.source,
  created: '2026-03-02T09:01:00.000Z',
  stats: { status: 'SOURCE_STATUS_INITIALIZING', numDocs: 0 },
};

export const corpusDocument = {
  corpusId: exampleIds.corpus,
  sourceId: exampleIds.source,
  documentId: exampleIds.document,
  created: '2026-03-02T09:02:00.000Z',
  mimeType: 'text/html',
  metadata: { publicUrl: 'https://example.com/breakfast', language: 'en', title: 'Breakfast' },
  sizeBytes: '18240',
};

export const corpusQueryResult = {
  content: 'Breakfast is served from 7 to 10.',
  score: 0.82,
  citation: {
    sourceId: exampleIds.source,
    documentId: exampleIds.document,
    publicUrl: 'https://example.com/breakfast',
    title: 'Breakfast',
  },
};
