import type { BodyFixture, BodyFixtures } from './fixtures.ts';
import type { World } from './world.ts';

const corpus = (): BodyFixture => ({
  minimal: {},
  maximal: [{ name: 'Handbook', description: 'All we know.', retrieval: 'CORPUS_RETRIEVAL_FULL_TEXT' }],
});
const crawl = {
  startUrls: ['https://example.com/'],
  maxDocuments: 10,
  maxDocumentBytes: 100_000,
  maxDepth: 1,
  relevantDocumentTypes: { include: { mimeTypes: ['text/html'] }, exclude: { mimeTypes: ['text/csv'] } },
};

async function sources(world: World, path: string): Promise<readonly unknown[]> {
  const corpusPath = path.split('/').slice(0, 4).join('/');
  return [
    { name: 'site', description: 'Our site.', crawl },
    { name: 'site', loadSpec: crawl },
    { name: 'files', upload: { documentIds: [await world.uploadedDocument(corpusPath)] } },
    {
      name: 'files',
      advanced: {
        documents: [
          { documentId: await world.uploadedDocument(corpusPath), exampleQueries: ['When do you open?'] },
        ],
      },
    },
  ];
}

export const corpusBodies: BodyFixtures = {
  createCorpus: corpus,
  replaceCorpus: corpus,
  updateCorpus: corpus,
  queryCorpus: () => ({
    minimal: { query: 'opening hours' },
    maximal: [{ query: 'opening hours', maxResults: 20 }],
  }),
  createCorpusUpload: () => ({
    minimal: { mimeType: 'text/plain' },
    maximal: [{ mimeType: 'text/markdown', fileName: 'handbook.md' }],
  }),
  createCorpusSource: async (world, path) => ({
    minimal: { crawl: { startUrls: ['https://example.com/'] } },
    maximal: await sources(world, path),
  }),
  replaceCorpusSource: async (world, path) => ({
    minimal: { crawl: { startUrls: ['https://example.com/'] } },
    maximal: await sources(world, path),
  }),
  updateCorpusSource: async (world, path) => ({ minimal: {}, maximal: await sources(world, path) }),
};
