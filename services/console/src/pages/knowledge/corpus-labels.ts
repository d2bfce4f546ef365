import type { Schemas } from '../../api/client.ts';
import type { Tone } from '../../components/status-badge.tsx';

export type Corpus = Schemas['Corpus'];
export type Source = Schemas['CorpusSource'];

interface Status {
  readonly words: string;
  readonly tone: Tone;
}

const LOADING: Status = { words: 'Loading', tone: 'live' };
const UPDATING: Status = { words: 'Updating', tone: 'live' };
const READY: Status = { words: 'Ready', tone: 'good' };

export const CORPUS_STATUSES: Readonly<Record<Corpus['stats']['status'], Status>> = {
  CORPUS_STATUS_UNSPECIFIED: { words: 'Unknown', tone: 'neutral' },
  CORPUS_STATUS_EMPTY: { words: 'Empty', tone: 'neutral' },
  CORPUS_STATUS_INITIALIZING: LOADING,
  CORPUS_STATUS_READY: READY,
  CORPUS_STATUS_UPDATING: UPDATING,
};
export const SOURCE_STATUSES: Readonly<Record<Source['stats']['status'], Status>> = {
  SOURCE_STATUS_UNSPECIFIED: { words: 'Unknown', tone: 'neutral' },
  SOURCE_STATUS_INITIALIZING: LOADING,
  SOURCE_STATUS_READY: READY,
  SOURCE_STATUS_UPDATING: UPDATING,
};

export function corpusTitle({ name }: Corpus): string {
  return name || 'Unnamed corpus';
}

/** The name of a source, or else its origin. */
export function sourceTitle(source: Source): string {
  const { name, upload, advanced } = source;
  if (name) return name;
  const [url] = crawlOf(source)?.startUrls ?? [];
  if (url !== undefined) return url;
  const count = upload?.documentIds.length ?? advanced?.documents.length ?? 0;
  return count === 1 ? '1 file' : `${count} files`;
}

/** `loadSpec` is the older name of `crawl`. */
export function crawlOf({ crawl, loadSpec }: Source): Schemas['CrawlSpec'] | undefined {
  return crawl ?? loadSpec;
}

/** MIME types of documents by file name extension. */
const TYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  htm: 'text/html',
  csv: 'text/csv',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};
export const ACCEPTED_FILES = Object.keys(TYPES)
  .map((end) => `.${end}`)
  .join(',');

/** Browsers do not recognize the types of some files, such as Markdown. */
export function documentTypeOf(file: { name: string; type: string }): string {
  const end = file.name.toLowerCase().split('.').at(-1) ?? '';
  return TYPES[end] ?? (file.type || 'application/octet-stream');
}
