export {
  createDocumentReader,
  UnreadableDocumentError,
  type DocumentReader,
} from './extraction/document-reader.ts';
export type { ReadDocument } from './extraction/messages.ts';
