export { isRelevant } from './crawl/is-relevant.ts';
export { pageUrl } from './crawl/page-url.ts';
export { CRAWLER_NAME, NO_RULES, robotsRules, type RobotsRules } from './crawl/robots-rules.ts';
export {
  createDocumentReader,
  UnreadableDocumentError,
  type DocumentReader,
} from './extraction/document-reader.ts';
export type { ReadDocument } from './extraction/messages.ts';
