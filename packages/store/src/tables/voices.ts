import { sql, type Selectable } from 'kysely';
import { asJson, asText } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import { preparedStatement } from '../prepared-statement.ts';
import type { VoiceTable } from '../schema/voice-tables.ts';
import { type Database, withSetUpLock } from '../store.ts';

export type VoiceRow = Selectable<VoiceTable>;

/** A voice of this deployment's engines. */
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

/** Replaces the public voices, in this order. Voices that are no longer offered are withdrawn, not deleted. */
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

const voicesBy = (by: 'voice_id' | 'name') =>
  preparedStatement<VoiceRow>(
    `voices_by_${by}`,
    `select voice_id, account_id, slug, name, description, primary_language, language_label, billing_style, provider,
       engine, engine_settings, position, created_at, withdrawn_at
     from voices where withdrawn_at is null and (account_id is null or account_id = $1) and ${by} = $2 limit 2`,
  );
const voicesById = voicesBy('voice_id');
const voicesByName = voicesBy('name');

/** At most two voices with this name or id; two mean that the name is ambiguous. */
export async function findVoicesByIdOrName(
  db: Database,
  accountId: string,
  by: { voiceId: string } | { name: string },
): Promise<VoiceRow[]> {
  const query = 'voiceId' in by ? voicesById(accountId, by.voiceId) : voicesByName(accountId, by.name);
  return (await db.executeQuery(query)).rows;
}

/**
 * The voice for calls without one: the first of the catalogue, or, for a call with a language (BCP 47 tag), the first
 * in this language, preferring the same region. Voices without a language match any language.
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

/** Sorts before the catalogue's voices. */
const OWN_POSITION = -1;

export interface VoiceFilter {
  billingStyle?: VoiceRow['billing_style'] | undefined;
  ownership?: 'private' | 'public' | undefined;
  /** A BCP 47 tag. */
  primaryLanguage?: string | undefined;
  providers?: readonly string[] | undefined;
  /** A part of the name, description or language, ignoring case. */
  search?: string | undefined;
}

/**
 * The account's voices, oldest first, then the public ones in catalogue order. With a language, only matching voices:
 * exact matches first, then other regions, scripts and variants of the language, then voices without a language.
 */
export function voicesOf(db: Database, accountId: string, filter: VoiceFilter = {}): PageSource<VoiceRow> {
  const { billingStyle, ownership, primaryLanguage, providers, search } = filter;
  let query = visibleVoices(db, accountId);
  if (billingStyle) query = query.where('billing_style', '=', billingStyle);
  if (ownership) query = query.where('account_id', ownership === 'public' ? 'is' : 'is not', null);
  if (providers) query = query.where('provider', 'in', providers);
  if (search !== undefined) {
    query = query.where(
      sql<boolean>`strpos(lower(concat_ws(chr(10), name, description, primary_language, language_label)), lower(${asText(search)})) > 0`,
    );
  }
  const inOrder = orderedBy('asc', 'position', 'voice_id');
  if (primaryLanguage === undefined) return pagesOf(query.selectAll(), inOrder);
  const distance = languageDistance(asText(primaryLanguage));
  return pagesOf(
    query
      .where(sql<boolean>`${distance} is not null`)
      .selectAll()
      .select(distance.as('distance')),
    {
      by: [distance, ...inOrder.by],
      direction: inOrder.direction,
      keyOf: (row) => [row.distance, ...inOrder.keyOf(row)],
    },
  );
}

/** 0: the same tag; 1: the same language; 2: a voice without a language; null: another language. */
function languageDistance(tag: string) {
  const [language = tag] = tag.split('-', 1);
  return sql<number>`(case
    when primary_language is null then 2
    when lower(primary_language) = lower(${tag}) then 0
    when lower(split_part(primary_language, '-', 1)) = lower(${language}) then 1
  end)`;
}

/** A voice that the account may use. */
export function findVoice(db: Database, accountId: string, voiceId: string): Promise<VoiceRow | undefined> {
  return visibleVoices(db, accountId).selectAll().where('voice_id', '=', voiceId).executeTakeFirst();
}

/** The fields of an account's own voice. */
export interface OwnVoice {
  name: string;
  description: string | null;
  primaryLanguage: string | null;
  languageLabel: string | null;
  provider: string;
  /** Secrets sealed. */
  settings: Record<string, unknown>;
}

export function insertVoice(
  db: Database,
  voice: OwnVoice & { voiceId: string; accountId: string; createdAt: Date },
): Promise<VoiceRow> {
  return db
    .insertInto('voices')
    .values({
      voice_id: voice.voiceId,
      account_id: voice.accountId,
      slug: null,
      name: voice.name,
      description: voice.description,
      primary_language: voice.primaryLanguage,
      language_label: voice.languageLabel,
      billing_style: 'VOICE_BILLING_STYLE_EXTERNAL',
      provider: voice.provider,
      engine: voice.provider,
      engine_settings: asJson(voice.settings),
      position: OWN_POSITION,
      created_at: voice.createdAt,
      withdrawn_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Changes the given fields. Undefined if the account does not own such a voice. */
export function updateVoice(
  db: Database,
  accountId: string,
  voiceId: string,
  to: Partial<OwnVoice>,
): Promise<VoiceRow | undefined> {
  return (
    db
      .updateTable('voices')
      // An empty change is allowed, but SQL needs at least one column to set.
      .set((eb) => ({ position: eb.ref('position'), ...columnsOf(to) }))
      .where('voice_id', '=', voiceId)
      .where('account_id', '=', accountId)
      .where('withdrawn_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
  );
}

function columnsOf({
  name,
  description,
  primaryLanguage,
  languageLabel,
  provider,
  settings,
}: Partial<OwnVoice>) {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(primaryLanguage !== undefined && { primary_language: primaryLanguage }),
    ...(languageLabel !== undefined && { language_label: languageLabel }),
    ...(provider !== undefined && { provider, engine: provider }),
    ...(settings !== undefined && { engine_settings: asJson(settings) }),
  };
}

/** Withdraws one of the account's own voices and clears its description and settings. False if there is none. */
export async function withdrawVoice(
  db: Database,
  accountId: string,
  voiceId: string,
  now: Date,
): Promise<boolean> {
  const row = await db
    .updateTable('voices')
    .set({ withdrawn_at: now, description: null, engine_settings: asJson({}) })
    .where('voice_id', '=', voiceId)
    .where('account_id', '=', accountId)
    .where('withdrawn_at', 'is', null)
    .returning('voice_id')
    .executeTakeFirst();
  return row !== undefined;
}
