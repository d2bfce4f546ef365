import type { robotsJobs } from '@calls/corpora/crawl/crawl-rules';
import type { DocumentReader } from '@calls/corpora/extraction/document-reader';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { Database } from '@calls/store/store';
import type { LoadingSource } from '@calls/store/tables/corpus-loading';
import type { WorkPool } from '@calls/untrusted-work/work-pool';

export interface LoadDeps {
  db: Database;
  storage: ObjectStorage;
  outbound: OutboundHttp;
  untrustedWork: Pick<WorkPool<typeof robotsJobs>, 'run'>;
  clock: Clock;
  log: Logger;
}

/** One attempt to load a source. Aborting `signal` stops it. */
export interface LoadRun extends LoadDeps {
  source: LoadingSource;
  reader: DocumentReader;
  signal: AbortSignal;
}
