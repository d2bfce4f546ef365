import type { ColumnType } from 'kysely';

export interface ApiKeyTable {
  key_id: string;
  account_id: string;
  name: string;
  /** The public first part of the key. */
  prefix: string;
  /** SHA-256 of the whole key. */
  hash: Buffer;
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date | null;
  revoked_at: Date | null;
  /** Prefix of the key that created this one; null if the service created it. */
  creator: string | null;
}
