import { MAX_DOCUMENT_BYTES } from '@calls/api-contract/rest/corpus';
import type { DocumentMimeType } from '@calls/corpora/mime-types';
import type { Clock } from '@calls/foundation/clock';
import { createSignedValues } from '@calls/secrets/join-tokens/signed-values';

/** Permission of an upload URL: store one file of this type as this document. */
export interface UploadGrant {
  accountId: string;
  corpusId: string;
  documentId: string;
  mimeType: DocumentMimeType;
  maxBytes: number;
}

export interface UploadTokens {
  issue(grant: Omit<UploadGrant, 'maxBytes'>): string;
  /** `forged`: the signature is not valid. */
  read(token: string): UploadGrant | 'forged' | 'expired';
}

const LIFETIME_MS = 5 * 60_000;
const SCOPE = 'upload';

export function createUploadTokens(secrets: readonly string[], clock: Clock): UploadTokens {
  const values = createSignedValues<UploadGrant & { expiresAtMs: number }>(secrets, 'upload URLs');
  return {
    issue: (grant) =>
      values.encode(SCOPE, {
        ...grant,
        maxBytes: MAX_DOCUMENT_BYTES,
        expiresAtMs: clock.wallMs() + LIFETIME_MS,
      }),
    read(token) {
      const value = values.decode(SCOPE, token);
      if (!value) return 'forged';
      const { expiresAtMs, ...grant } = value;
      return clock.wallMs() < expiresAtMs ? grant : 'expired';
    },
  };
}
