import { sql, type Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import { pagesOf, type PageSource } from '../keyset.ts';
import { withSetUpLock } from '../set-up-lock.ts';
import type { VoiceTable } from '../schema/voice.ts';
import type { Database } from '../store.ts';

export type VoiceRow = Selectable<VoiceTable>;

/** What this deployment's engines offer. */
export interface CatalogueVoice {
  voiceId: string;
  slug: string;
  name: string;
  description: string | null;
  primaryLanguage: string | null;
  languageLabel: string | null;
  engine: string;
  engineSettings: Record<string, unknown>;
}

/** Makes the public voices exactly these, in this order; voices no longer offered are withdrawn, not deleted. */
export async function replaceCatalogue(
  db: Database,
  voices: readonly CatalogueVoice[],
  now: Date,
): Promise<void> {
  await withSetUpLock(db, 'voice catalogue', async (tx) => {
    await tx
      .updateTable('voices')
      .set({ withdrawn_at: now })
      .where('slug', 'is not', null)
      .where('withdrawn_at', 'is', null)
      .$if(voices.length > 0, (query) =>
        query.where(
          'slug',
          'not in',
          voices.map((voice) => voice.slug),
        ),
      )
      .execute();
    if (voices.length === 0) return;
    await tx
      .insertInto('voices')
      .values(
        voices.map((voice, position) => ({
          voice_id: voice.voiceId,
          account_id: null,
          slug: voice.slug,
          name: voice.name,
          description: voice.description,
          primary_language: voice.primaryLanguage,
          language_label: voice.languageLabel,
          billing_style: 'VOICE_BILLING_STYLE_INCLUDED' as const,
          provider: null,
          engine: voice.engine,
          engine_settings: asJson(voice.engineSettings),
          position,
          created_at: now,
          withdrawn_at: null,
        })),
      )
      .onConflict((conflict) =>
        conflict.column('slug').doUpdateSet((eb) => ({
          name: eb.ref('excluded.name'),
          description: eb.ref('excluded.description'),
          primary_language: eb.ref('excluded.primary_language'),
          language_label: eb.ref('excluded.language_label'),
          engine: eb.ref('excluded.engine'),
          engine_settings: eb.ref('excluded.engine_settings'),
          position: eb.ref('excluded.position'),
          withdrawn_at: null,
        })),
      )
      .execute();
  });
}

function visibleVoices(db: Database, accountId: string) {
  return db
    .selectFrom('voices')
    .where('withdrawn_at', 'is', null)
    .where((eb) => eb.or([eb('account_id', 'is', null), eb('account_id', '=', accountId)]));
}

/** At most two voices with this name or id: two say that the name isn't unique. */
export function findVoicesByIdOrName(
  db: Database,
  accountId: string,
  by: { voiceId: string } | { name: string },
): Promise<VoiceRow[]> {
  const query = visibleVoices(db, accountId).selectAll().limit(2);
  return (
    'voiceId' in by ? query.where('voice_id', '=', by.voiceId) : query.where('name', '=', by.name)
  ).execute();
}

/**
 * The voice for a call that names none: the catalogue's first or, where the call has a language (a BCP 47 tag), its first
 * in this language, those of the same region before others. Voices without a language speak any.
 */
export function findDefaultVoice(db: Database, language: string | null): Promise<VoiceRow | undefined> {
  let query = db
    .selectFrom('voices')
    .selectAll()
    .where('account_id', 'is', null)
    .where('withdrawn_at', 'is', null);
  if (language !== null) {
    const [primary = language] = language.split('-', 1);
    query = query
      .orderBy(sql`coalesce(lower(split_part(primary_language, '-', 1)) = lower(${primary}), true)`, 'desc')
      .orderBy(sql`coalesce(lower(primary_language) = lower(${language}), true)`, 'desc');
  }
  return query.orderBy('position').limit(1).executeTakeFirst();
}

/** In the catalogue's order. */
export function voicesOf(db: Database, accountId: string): PageSource<VoiceRow> {
  return pagesOf(visibleVoices(db, accountId).selectAll(), {
    by: ['position', 'voice_id'],
    direction: 'asc',
    keyOf: (row) => [row.position, row.voice_id],
  });
}
