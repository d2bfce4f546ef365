import type { DocumentText } from '@calls/store/tables/corpus-loading';
import { chunkText } from '../chunking/chunk-text.ts';
import { documentLanguage } from '../language/document-language.ts';
import type { DocumentMimeType } from '../mime-types.ts';
import { searchText } from '../retrieval/parse-query.ts';
import { decodeText } from './decode-text.ts';
import type { ExtractedText } from './extracted-text.ts';
import { readDocx } from './read-docx.ts';
import { htmlCharset, readHtml } from './read-html.ts';
import { readMarkdown } from './read-markdown.ts';
import { readPdf } from './read-pdf.ts';
import { readCsv, readPlainText } from './read-plain-text.ts';

export interface ReadRequest {
  mimeType: DocumentMimeType;
  charset: string | null;
  /** The base URL of links in a web page. */
  url: string | null;
  bytes: Uint8Array;
}

export interface ReadDocument extends DocumentText {
  links: string[];
  noIndex: boolean;
}

/** Enough for a plain text file of 10 MiB. */
const MAX_CHUNKS = 10_000;
const MAX_TITLE_CHARS = 300;
const MAX_DESCRIPTION_CHARS = 2000;

/** Extracts a document's passages and metadata. Throws if it cannot be read. */
export async function readDocument(request: ReadRequest): Promise<ReadDocument> {
  const extracted = await extract(request);
  const chunks = chunkText(extracted.blocks, MAX_CHUNKS);
  const sample = chunks.slice(0, 10).map(({ content }) => content);
  const { tag, textConfig } = await documentLanguage(extracted.language, sample.join('\n'));
  return {
    title: extracted.title?.slice(0, MAX_TITLE_CHARS) ?? null,
    language: tag,
    description: extracted.description?.slice(0, MAX_DESCRIPTION_CHARS) ?? null,
    publishedAt: extracted.published === null ? null : new Date(extracted.published),
    textConfig,
    chunks: chunks.map((chunk) => ({
      ...chunk,
      searchHeading: searchText(chunk.heading),
      searchContent: searchText(chunk.content),
    })),
    links: extracted.links,
    noIndex: extracted.noIndex,
  };
}

function extract({ mimeType, charset, url, bytes }: ReadRequest): ExtractedText | Promise<ExtractedText> {
  switch (mimeType) {
    case 'application/pdf':
      return readPdf(bytes);
    case 'application/vnd.openxmlformats-officedocument.wordprocessingml.document':
      return readDocx(bytes);
    case 'text/html':
      return readHtml(decodeText(bytes, charset ?? htmlCharset(bytes)), url);
    case 'text/markdown':
      return readMarkdown(decodeText(bytes, charset));
    case 'text/csv':
      return readCsv(decodeText(bytes, charset));
    case 'text/plain':
      return readPlainText(decodeText(bytes, charset));
  }
}
