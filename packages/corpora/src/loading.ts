export { isRelevant } from './crawl/is-relevant.ts';
export { pageUrl } from './crawl/page-url.ts';
export type { robotsJobs, RobotsFile } from './crawl/robots-jobs.ts';
export { CRAWLER_NAME } from './crawl/robots-rules.ts';
export {
  createDocumentReader,
  UnreadableDocumentError,
  type DocumentReader,
} from './extraction/document-reader.ts';
export type { ReadDocument } from './extraction/messages.ts';
