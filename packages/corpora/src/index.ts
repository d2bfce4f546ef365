export * from './mime-types.ts';
export { createFullTextRetriever } from './retrieval/full-text-retriever.ts';
export type { RetrievalRequest, Retriever } from './retrieval/retriever.ts';
