import type { AccountTtsKeys } from '@calls/api-contract/rest/tts-keys';
import type { ColumnType } from 'kysely';

export interface VoiceTable {
  voice_id: string;
  /** Null: public, for every account. */
  account_id: string | null;
  /** Stable key of a catalogue voice; null for an account's own voice. */
  slug: string | null;
  name: string;
  description: string | null;
  primary_language: string | null;
  language_label: string | null;
  billing_style: 'VOICE_BILLING_STYLE_INCLUDED' | 'VOICE_BILLING_STYLE_EXTERNAL';
  provider: string | null;
  /** Key in the registry of text-to-speech adapters. */
  engine: string;
  engine_settings: ColumnType<Record<string, unknown>, string, string>;
  /** Order in lists, and preference for calls that name no voice. */
  position: number;
  created_at: ColumnType<Date, Date, never>;
  /** Set if the voice is no longer offered; calls that used it still refer to it. */
  withdrawn_at: Date | null;
}

export interface TtsApiKeyTable {
  account_id: string;
  provider: keyof AccountTtsKeys;
  /** The part of the key that may be shown. */
  prefix: string;
  sealed_key: string;
  set_at: Date;
}

/** Tables of voices and of the accounts' keys for voice providers. */
export interface VoiceTables {
  voices: VoiceTable;
  tts_api_keys: TtsApiKeyTable;
}
