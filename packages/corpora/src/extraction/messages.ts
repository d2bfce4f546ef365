import type { DocumentText } from '@calls/store/tables/corpus-loading';
import type { DocumentMimeType } from '../mime-types.ts';

export interface ReadRequest {
  mimeType: DocumentMimeType;
  charset: string | null;
  /** Of a web page: what its links are relative to. */
  url: string | null;
  bytes: Uint8Array;
}

export interface ReadDocument extends DocumentText {
  links: string[];
  noIndex: boolean;
}
