import { described, ReadOnly } from '@calls/foundation/schema/annotations';
import { PATTERN_MESSAGE } from '@calls/foundation/schema/keywords';
import { Closed, DateTime, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { defineResource } from './resource.ts';

const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const Name = Type.Optional(
  Type.String({ maxLength: 128, description: 'Display name. Defaults to an empty string.' }),
);
const Description = Type.Optional(
  Type.String({
    maxLength: 2048,
    description: 'What the corpus contains. Agents do not see this description.',
  }),
);
const LastUpdated = Type.Optional(described(DateTime, 'When its content last changed; absent before that.'));

const Retrieval = Type.Enum(['CORPUS_RETRIEVAL_FULL_TEXT', 'CORPUS_RETRIEVAL_HYBRID']);

export const CorpusStats = Closed(
  {
    status: Type.Enum(
      [
        'CORPUS_STATUS_UNSPECIFIED',
        'CORPUS_STATUS_EMPTY',
        'CORPUS_STATUS_INITIALIZING',
        'CORPUS_STATUS_READY',
        'CORPUS_STATUS_UPDATING',
      ],
      { description: 'Whether the corpus is empty, loading for the first time, ready, or being updated.' },
    ),
    lastUpdated: LastUpdated,
    numChunks: described(Count, 'Passages that can be found.'),
    numDocs: described(Count, 'Documents.'),
    numVectors: described(
      Count,
      'Passages that have an embedding of the configured model; 0 if this deployment has none.',
    ),
    retrieval: described(
      Retrieval,
      'How queries search now: `CORPUS_RETRIEVAL_HYBRID` as soon as passages have embeddings.',
    ),
    vectorSearch: Type.Optional(
      Type.Enum(['CORPUS_VECTOR_SEARCH_EXACT', 'CORPUS_VECTOR_SEARCH_HNSW'], {
        description:
          'How embeddings are compared: with all of the corpus, or by an approximate index if the database has pgvector. Absent if queries search by words only.',
      }),
    ),
    embeddingError: Type.Optional(
      Type.String({ description: 'Latest error of embedding passages; absent if nothing failed.' }),
    ),
  },
  'CorpusStats',
  'State and size of a corpus.',
);

/** A store of texts, which agents can query. */
export const Corpus = defineResource('Corpus', {
  corpusId: ReadOnly(described(Uuid, 'Id of the corpus.')),
  created: ReadOnly(described(DateTime, 'When the corpus was created.')),
  name: Name,
  description: Description,
  retrieval: described(
    Type.Optional(Retrieval),
    'How to search: by words, or by words and embeddings together (default). Without embeddings in this deployment, both search by words.',
  ),
  stats: ReadOnly(described(CorpusStats, 'State and size.')),
});
export type Corpus = Static<typeof Corpus.Response>;

export const SourceStats = Closed(
  {
    status: Type.Enum(
      [
        'SOURCE_STATUS_UNSPECIFIED',
        'SOURCE_STATUS_INITIALIZING',
        'SOURCE_STATUS_READY',
        'SOURCE_STATUS_UPDATING',
      ],
      { description: 'Whether the source is loading for the first time, ready, or being updated.' },
    ),
    lastUpdated: LastUpdated,
    numDocs: described(Count, 'Documents.'),
    lastError: Type.Optional(
      Type.String({ description: 'Latest error of a document or of the crawl; absent if nothing failed.' }),
    ),
  },
  'SourceStats',
  'State and size of a source.',
);

const MimeTypeSet = Closed(
  {
    mimeTypes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: 50,
        description: 'MIME types, for example `text/html`.',
      }),
    ),
  },
  'MimeTypeSet',
  'A set of MIME types.',
);

const MimeTypeFilter = Closed(
  {
    include: described(Type.Optional(MimeTypeSet), 'Types to load; absent means all supported ones.'),
    exclude: described(Type.Optional(MimeTypeSet), 'Types not to load.'),
  },
  'MimeTypeFilter',
  'A choice of MIME types.',
);
export type MimeTypeFilter = Static<typeof MimeTypeFilter>;

/** Limit of one file, uploaded or found by a crawl. */
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;

const StartUrl = Type.String({
  format: 'uri',
  pattern: '^https?://',
  [PATTERN_MESSAGE]: 'must be an http:// or https:// URL',
  maxLength: 2048,
});

export const CrawlSpec = Closed(
  {
    startUrls: Type.Array(StartUrl, {
      minItems: 1,
      maxItems: 20,
      description: 'Pages to start from. The crawl stays on their origins.',
    }),
    maxDocuments: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 100,
        description: 'Maximum number of documents to load.',
      }),
    ),
    maxDocumentBytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_DOCUMENT_BYTES,
        default: MAX_DOCUMENT_BYTES,
        description: 'Largest document to load, in bytes.',
      }),
    ),
    maxDepth: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 20,
        default: 3,
        description: 'Maximum number of links between a start URL and a page; 0 loads the start URLs only.',
      }),
    ),
    relevantDocumentTypes: described(Type.Optional(MimeTypeFilter), 'Types of documents to load.'),
  },
  'CrawlSpec',
  'Which pages of a web site to load.',
);
export type CrawlSpec = Static<typeof CrawlSpec>;

const MAX_DOCUMENTS = 1000;

export const UploadSpec = Closed(
  {
    documentIds: Type.Array(Uuid, {
      minItems: 1,
      maxItems: MAX_DOCUMENTS,
      description: 'Ids of uploaded documents.',
    }),
  },
  'UploadSpec',
  'Which uploaded documents to load.',
);

export const AdvancedSpec = Closed(
  {
    documents: Type.Array(
      Closed(
        {
          documentId: described(Uuid, 'Id of the uploaded document.'),
          exampleQueries: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
              maxItems: 50,
              description: 'Questions that the document answers. They help to find it.',
            }),
          ),
        },
        'AdvancedSpec_DocumentDetails',
        'An uploaded document with example questions.',
      ),
      { minItems: 1, maxItems: MAX_DOCUMENTS, description: 'Documents to load.' },
    ),
  },
  'AdvancedSpec',
  'Which uploaded documents to load, with example questions for each.',
);

/** What a source is loaded from: exactly one of them. */
const specs = {
  loadSpec: described(Type.Optional(CrawlSpec), 'Older name of `crawl`.'),
  crawl: described(Type.Optional(CrawlSpec), 'Loads pages of a web site.'),
  upload: described(Type.Optional(UploadSpec), 'Loads uploaded documents.'),
  advanced: described(Type.Optional(AdvancedSpec), 'Loads uploaded documents that have example questions.'),
};
export type SourceSpec = {
  -readonly [K in keyof typeof specs]?: Static<(typeof specs)[K]>;
};
export type SourceSpecKind = keyof typeof specs;
export const SOURCE_SPEC_KINDS = Object.keys(specs) as readonly SourceSpecKind[];

/** Where documents of a corpus come from. */
export const CorpusSource = defineResource('CorpusSource', {
  corpusId: ReadOnly(described(Uuid, 'Id of the corpus.')),
  sourceId: ReadOnly(described(Uuid, 'Id of the source.')),
  created: ReadOnly(described(DateTime, 'When the source was created.')),
  name: Name,
  description: Description,
  stats: ReadOnly(described(SourceStats, 'State and size.')),
  ...specs,
});
export type CorpusSource = Static<typeof CorpusSource.Response>;

const CorpusDocumentMetadata = Closed(
  {
    publicUrl: Type.Optional(
      Type.String({ description: 'Address of the page; absent for uploaded documents.' }),
    ),
    language: Type.Optional(
      Type.String({ description: 'Language of the text, as a BCP 47 tag; absent when it is unknown.' }),
    ),
    title: Type.Optional(Type.String({ description: 'Title; absent when the document has none.' })),
    description: Type.Optional(
      Type.String({ description: 'Description in the document itself; absent when it has none.' }),
    ),
    published: Type.Optional(
      described(DateTime, 'Publication date in the document itself; absent when it has none.'),
    ),
    exampleQueries: Type.Optional(
      Type.Array(Type.String(), { description: 'Example questions of the source; absent without any.' }),
    ),
  },
  'CorpusDocumentMetadata',
  'Metadata of a document.',
);

export const CorpusDocument = Closed(
  {
    corpusId: described(Uuid, 'Id of the corpus.'),
    sourceId: described(Uuid, 'Id of the source.'),
    documentId: described(Uuid, 'Id of the document.'),
    created: described(DateTime, 'When the document was loaded or uploaded.'),
    mimeType: Type.String({ description: 'MIME type of the document.' }),
    metadata: described(CorpusDocumentMetadata, 'Metadata of the document.'),
    sizeBytes: Type.String({ pattern: '^[0-9]+$', description: 'Size in bytes, as decimal digits.' }),
  },
  'CorpusDocument',
  'A document of a source.',
);
export type CorpusDocument = Static<typeof CorpusDocument>;

export const CorpusUploadsRequest = Closed(
  {
    mimeType: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'MIME type of the file. The upload must have it as its `Content-Type`.',
    }),
    fileName: Type.Optional(
      Type.String({ maxLength: 255, default: '', description: 'Display name of the file.' }),
    ),
  },
  'CorpusUploadsRequest',
  'A file to upload.',
);

export const CorpusUploadsResponse = Closed(
  {
    documentId: described(Uuid, 'Id of the document, for `upload` or `advanced` of a source.'),
    presignedUrl: Type.String({
      format: 'uri',
      description: 'Where to PUT the file. Valid for five minutes and one upload; no API key is needed.',
    }),
  },
  'CorpusUploadsResponse',
  'Where to upload a file to.',
);

export const QueryCorpusRequest = Closed(
  {
    query: Type.String({ minLength: 1, maxLength: 4096, description: 'Question or words to search for.' }),
    maxResults: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        default: 5,
        description: 'Maximum number of passages to return.',
      }),
    ),
  },
  'QueryCorpusRequest',
  'A search in a corpus.',
);

const Citation = Closed(
  {
    sourceId: described(Uuid, 'Id of the source.'),
    documentId: described(Uuid, 'Id of the document.'),
    publicUrl: Type.Optional(
      Type.String({ description: 'Address of the page; absent for uploaded documents.' }),
    ),
    title: Type.Optional(Type.String({ description: 'Title; absent when the document has none.' })),
  },
  'CorpusQueryResult_Citation',
  'The origin of a passage.',
);

export const CorpusQueryResult = Closed(
  {
    content: Type.String({ description: 'Text of the passage.' }),
    score: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'How well the passage matches. Full text: above 0.5 it contains all that was searched for. Hybrid: 1 if words and embeddings both rank it first.',
    }),
    citation: described(Citation, 'Where the passage comes from.'),
  },
  'CorpusQueryResult',
  'A passage that was found.',
);
export type CorpusQueryResult = Static<typeof CorpusQueryResult>;
