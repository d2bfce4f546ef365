import { nameBasedId } from '@calls/foundation/ids';
import type { CatalogueVoice } from '@calls/providers/config/catalogue-voice';
import type { Database } from '@calls/store/store';
import { replaceCatalogue } from '@calls/store/tables/voices';

/**
 * Namespace of the UUIDs that are derived from the keys of catalogue voices. The ids are the same on every
 * installation, so this value must not change.
 */
const VOICE_NAMESPACE = '5b0d2f5e-6c1c-4a5e-9a63-0f2f7b3f7f10';

/** Synchronises the public voices in the database with the configured engines. */
export async function seedVoices(db: Database, voices: readonly CatalogueVoice[], now: Date): Promise<void> {
  const rows = voices.map((voice) => ({
    voiceId: nameBasedId(voice.key, VOICE_NAMESPACE),
    slug: voice.key,
    name: voice.name,
    description: voice.description,
    primaryLanguage: voice.primaryLanguage,
    languageLabel: voice.languageLabel,
    engine: voice.engine,
    engineSettings: voice.settings,
  }));
  await replaceCatalogue(db, rows, now);
}
