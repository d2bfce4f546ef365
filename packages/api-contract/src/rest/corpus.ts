import { Type, type Static } from 'typebox';
import { Closed, DateTime, Uuid } from './common.ts';
import { defineResource, ReadOnly } from './resource.ts';

const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const Name = Type.Optional(Type.String({ maxLength: 128 }));
const Description = Type.Optional(Type.String({ maxLength: 2048 }));

export const CorpusStats = Closed(
  {
    status: Type.Enum([
      'CORPUS_STATUS_UNSPECIFIED',
      'CORPUS_STATUS_EMPTY',
      'CORPUS_STATUS_INITIALIZING',
      'CORPUS_STATUS_READY',
      'CORPUS_STATUS_UPDATING',
    ]),
    lastUpdated: Type.Optional(DateTime),
    numChunks: Count,
    numDocs: Count,
    numVectors: Count,
  },
  'CorpusStats',
);

/** A store of texts, which agents can query. */
export const Corpus = defineResource('Corpus', {
  corpusId: ReadOnly(Uuid),
  created: ReadOnly(DateTime),
  name: Name,
  description: Description,
  stats: ReadOnly(CorpusStats),
});
export type Corpus = Static<typeof Corpus.Response>;

export const SourceStats = Closed(
  {
    status: Type.Enum([
      'SOURCE_STATUS_UNSPECIFIED',
      'SOURCE_STATUS_INITIALIZING',
      'SOURCE_STATUS_READY',
      'SOURCE_STATUS_UPDATING',
    ]),
    lastUpdated: Type.Optional(DateTime),
    numDocs: Count,
    lastError: Type.Optional(
      Type.String({ description: 'Why a document, or the crawl, failed last; absent where nothing did.' }),
    ),
  },
  'SourceStats',
);

const MimeTypeSet = Closed(
  {
    mimeTypes: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 50 })),
  },
  'MimeTypeSet',
);

const MimeTypeFilter = Closed(
  { include: Type.Optional(MimeTypeSet), exclude: Type.Optional(MimeTypeSet) },
  'MimeTypeFilter',
);
export type MimeTypeFilter = Static<typeof MimeTypeFilter>;

/** What one file may have, uploaded or found by a crawl. */
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;

export const CrawlSpec = Closed(
  {
    startUrls: Type.Array(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 }), {
      minItems: 1,
      maxItems: 20,
    }),
    maxDocuments: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    maxDocumentBytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_DOCUMENT_BYTES, default: MAX_DOCUMENT_BYTES }),
    ),
    maxDepth: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 20,
        default: 3,
        description: 'Links between a start URL and a page; 0: the start URLs only.',
      }),
    ),
    relevantDocumentTypes: Type.Optional(MimeTypeFilter),
  },
  'CrawlSpec',
);
export type CrawlSpec = Static<typeof CrawlSpec>;

const MAX_DOCUMENTS = 1000;

export const UploadSpec = Closed(
  { documentIds: Type.Array(Uuid, { minItems: 1, maxItems: MAX_DOCUMENTS }) },
  'UploadSpec',
);

export const AdvancedSpec = Closed(
  {
    documents: Type.Array(
      Closed(
        {
          documentId: Uuid,
          exampleQueries: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 50 }),
          ),
        },
        'AdvancedSpec_DocumentDetails',
      ),
      { minItems: 1, maxItems: MAX_DOCUMENTS },
    ),
  },
  'AdvancedSpec',
);

/** What a source is loaded from: exactly one of them. `loadSpec` is the older name of `crawl`. */
const specs = {
  loadSpec: Type.Optional(CrawlSpec),
  crawl: Type.Optional(CrawlSpec),
  upload: Type.Optional(UploadSpec),
  advanced: Type.Optional(AdvancedSpec),
};
export type SourceSpec = {
  -readonly [K in keyof typeof specs]?: Static<(typeof specs)[K]>;
};
export type SourceSpecKind = keyof typeof specs;
export const SOURCE_SPEC_KINDS = Object.keys(specs) as readonly SourceSpecKind[];

/** Where documents of a corpus come from. */
export const CorpusSource = defineResource('CorpusSource', {
  corpusId: ReadOnly(Uuid),
  sourceId: ReadOnly(Uuid),
  created: ReadOnly(DateTime),
  name: Name,
  description: Description,
  stats: ReadOnly(SourceStats),
  ...specs,
});
export type CorpusSource = Static<typeof CorpusSource.Response>;

export const CorpusDocument = Closed(
  {
    corpusId: Uuid,
    sourceId: Uuid,
    documentId: Uuid,
    created: DateTime,
    mimeType: Type.String(),
    metadata: Closed(
      {
        publicUrl: Type.Optional(Type.String()),
        language: Type.Optional(Type.String()),
        title: Type.Optional(Type.String()),
        description: Type.Optional(Type.String()),
        published: Type.Optional(DateTime),
        exampleQueries: Type.Optional(Type.Array(Type.String())),
      },
      'CorpusDocumentMetadata',
    ),
    sizeBytes: Type.String({ pattern: '^[0-9]+$' }),
  },
  'CorpusDocument',
);
export type CorpusDocument = Static<typeof CorpusDocument>;

export const CorpusUploadsRequest = Closed(
  {
    mimeType: Type.String({ minLength: 1, maxLength: 256 }),
    fileName: Type.Optional(Type.String({ maxLength: 255, default: '' })),
  },
  'CorpusUploadsRequest',
);

export const CorpusUploadsResponse = Closed(
  { documentId: Uuid, presignedUrl: Type.String({ format: 'uri' }) },
  'CorpusUploadsResponse',
);

export const QueryCorpusRequest = Closed(
  {
    query: Type.String({ minLength: 1, maxLength: 4096 }),
    maxResults: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 5 })),
  },
  'QueryCorpusRequest',
);

export const CorpusQueryResult = Closed(
  {
    content: Type.String(),
    score: Type.Number({ minimum: 0, maximum: 1 }),
    citation: Closed(
      {
        sourceId: Uuid,
        documentId: Uuid,
        publicUrl: Type.Optional(Type.String()),
        title: Type.Optional(Type.String()),
      },
      'CorpusQueryResult_Citation',
    ),
  },
  'CorpusQueryResult',
);
export type CorpusQueryResult = Static<typeof CorpusQueryResult>;
