import { createHash } from 'node:crypto';
import { MAX_DOCUMENT_BYTES, type CrawlSpec } from '@calls/api-contract/rest/corpus';
import { charsetOf, documentMimeType, type DocumentMimeType } from '@calls/corpora/mime-types';
import { isRelevant, pageUrl, robotsTag } from '@calls/corpora/crawl/crawl-rules';
import { UnreadableDocumentError } from '@calls/corpora/extraction/document-reader';
import type { ReadDocument } from '@calls/corpora/extraction/read-document';
import { delay } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { OutboundError } from '@calls/outbound-http/outbound-error';
import type { OutboundResponse } from '@calls/outbound-http/outbound-response';
import type { Database } from '@calls/store/store';
import {
  addCrawlPages,
  crawlState,
  reuseText,
  retryCrawlPage,
  settleCrawlPage,
  upsertCrawledDocument,
  type CrawlPage,
} from '@calls/store/tables/corpus-crawl';
import { noteError, replaceText, writeIfCurrent } from '@calls/store/tables/corpus-loading';
import { WorkTooExpensiveError } from '@calls/untrusted-work/work-error';
import type { LoadRun } from './load-run.ts';
import { PoliteClient } from './polite-client.ts';

const DEFAULTS = { maxDocuments: 100, maxDepth: 3 };
const MAX_CRAWL_MS = 30 * 60_000;
const MAX_ATTEMPTS = 3;
/** Pause before a retry, multiplied by the number of attempts so far. */
const RETRY_PAUSE_MS = 2000;
/** Maximum number of known pages for each document that the crawl may create. */
const PAGES_PER_DOCUMENT = 20;

interface Page {
  url: string;
  mimeType: DocumentMimeType;
  bytes: Uint8Array;
  document: ReadDocument;
  isRelevant: boolean;
  /** Whether the site asks not to index the page. */
  noIndex: boolean;
  /** The links that the site lets crawlers follow. */
  links: readonly string[];
}

/** The result of a visit: a page, no document, or a failure. */
type Visit = Page | 'passed' | { failure: string; isRetryable: boolean };

/** Crawls the sites of its start URLs, breadth first. Its state is in the database, so any process can continue it. */
export class Crawl {
  readonly #run: LoadRun;
  readonly #spec: CrawlSpec & typeof DEFAULTS;
  readonly #client: PoliteClient;

  /** Resolves with a function that visits one page; the function resolves with false when the crawl is finished. */
  static async begin(run: LoadRun, spec: CrawlSpec): Promise<() => Promise<boolean>> {
    const crawl = new Crawl(run, spec);
    const urls = spec.startUrls.flatMap((url) => pageUrl(url) ?? []);
    await crawl.#write((tx) => crawl.#add(tx, urls, 0));
    return () => crawl.#visitNext();
  }

  private constructor(run: LoadRun, spec: CrawlSpec) {
    this.#run = run;
    this.#spec = { ...DEFAULTS, ...spec };
    this.#client = new PoliteClient(run);
  }

  async #visitNext(): Promise<boolean> {
    const { db, source, clock } = this.#run;
    const { next, documents: documentCount, finalOrigins } = await crawlState(db, source);
    if (!next || documentCount >= this.#spec.maxDocuments) return false;
    if (clock.wallMs() - source.begun_at.getTime() > MAX_CRAWL_MS) {
      await this.#write((tx) =>
        noteError(tx, source, `the crawl was stopped after ${MAX_CRAWL_MS / 60_000} minutes`),
      );
      return false;
    }
    const origins = new Set([...this.#spec.startUrls.map((url) => new URL(url).origin), ...finalOrigins]);
    const visit = await this.#visit(next, origins);
    return this.#write((tx) => this.#settle(tx, next, visit, origins));
  }

  async #visit(page: CrawlPage, origins: ReadonlySet<string>): Promise<Visit> {
    const { clock, signal } = this.#run;
    if (page.attempts > 0) await delay(clock, page.attempts * RETRY_PAUSE_MS, signal);
    try {
      if (!(await this.#client.allows(page.url))) {
        return page.depth === 0 ? permanentFailure('robots.txt forbids it') : 'passed';
      }
      const response = await this.#client.get(page.url, this.#spec.maxDocumentBytes ?? MAX_DOCUMENT_BYTES);
      try {
        return await this.#read(page, response, origins);
      } finally {
        response.close();
      }
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof OutboundError) return { failure: thrown.message, isRetryable: thrown.retryable };
      if (thrown instanceof UnreadableDocumentError) return permanentFailure(thrown.message);
      if (thrown instanceof WorkTooExpensiveError) return permanentFailure(`robots.txt ${thrown.message}`);
      throw thrown;
    }
  }

  async #read(page: CrawlPage, response: OutboundResponse, origins: ReadonlySet<string>): Promise<Visit> {
    const { status } = response;
    if (status < 200 || status > 299) {
      if (page.depth > 0 && (status === 404 || status === 410)) return 'passed';
      return { failure: `the server responded with ${status}`, isRetryable: status >= 500 || status === 429 };
    }
    const url = pageUrl(response.url);
    const isOurs = url !== null && (page.depth === 0 || origins.has(new URL(url).origin));
    if (!isOurs || !(await this.#client.allows(url))) return 'passed';
    const contentType = response.headers['content-type'] ?? 'text/html';
    const mimeType = documentMimeType(contentType);
    if (!mimeType)
      return page.depth === 0
        ? permanentFailure(`the content type ${contentType} is not supported`)
        : 'passed';
    const wanted = isRelevant(mimeType, this.#spec.relevantDocumentTypes);
    if (!wanted && mimeType !== 'text/html') return 'passed';
    const bytes = await response.bytes();
    const document = await this.#run.reader.read(
      { mimeType, charset: charsetOf(contentType), url, bytes },
      this.#run.signal,
    );
    const tag = robotsTag(String(response.headers['x-robots-tag'] ?? ''));
    return {
      ...{ url, mimeType, bytes, document, isRelevant: wanted },
      noIndex: tag.noIndex || document.noIndex,
      links: tag.noFollow ? [] : document.links,
    };
  }

  async #settle(tx: Database, page: CrawlPage, visit: Visit, origins: ReadonlySet<string>): Promise<void> {
    const { source } = this.#run;
    if (visit === 'passed') {
      await settleCrawlPage(tx, source, page.url, { state: 'passed' });
    } else if ('failure' in visit) {
      if (visit.isRetryable && page.attempts + 1 < MAX_ATTEMPTS) {
        await retryCrawlPage(tx, source, page.url);
        return;
      }
      await settleCrawlPage(tx, source, page.url, { state: 'failed' });
      await noteError(tx, source, `${page.url}: ${visit.failure}`);
    } else {
      const finalOrigin = page.depth === 0 ? new URL(visit.url).origin : null;
      const state = (await this.#storeDocument(tx, visit)) ? 'kept' : 'passed';
      await settleCrawlPage(tx, source, page.url, { state, finalOrigin });
      if (page.depth === 0 && visit.noIndex) {
        await noteError(tx, source, `${page.url}: the page asks not to be indexed`);
      }
      if (page.depth >= this.#spec.maxDepth) return;
      const links = visit.links.flatMap((link) => pageUrl(link) ?? []);
      const near = links.filter(
        (link) => origins.has(new URL(link).origin) || new URL(link).origin === finalOrigin,
      );
      await this.#add(tx, near, page.depth + 1);
    }
  }

  async #storeDocument(tx: Database, page: Page): Promise<boolean> {
    const { source, clock } = this.#run;
    const { document } = page;
    if (!page.isRelevant || page.noIndex || document.chunks.length === 0) return false;
    const found = await upsertCrawledDocument(tx, source, {
      documentId: newId(),
      url: page.url,
      mimeType: page.mimeType,
      sizeBytes: page.bytes.byteLength,
      hash: createHash('sha256').update(page.bytes).digest(),
      at: new Date(clock.wallMs()),
    });
    if (!found) return false;
    const { documentId } = found;
    if (found.isSame) await reuseText(tx, source, documentId);
    else await replaceText(tx, source, { documentId, exampleQueries: [] }, document);
    return true;
  }

  #add(tx: Database, urls: readonly string[], depth: number): Promise<void> {
    const limit = this.#spec.maxDocuments * PAGES_PER_DOCUMENT;
    return addCrawlPages(tx, this.#run.source, { urls: [...new Set(urls)], depth, limit });
  }

  #write(write: (tx: Database) => Promise<void>): Promise<boolean> {
    return writeIfCurrent(this.#run.db, this.#run.source, write);
  }
}

function permanentFailure(failure: string): { failure: string; isRetryable: boolean } {
  return { failure, isRetryable: false };
}
