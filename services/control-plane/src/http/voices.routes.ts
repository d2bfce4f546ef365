import type { BodyOf } from '@calls/api-contract/operations/operation';
import {
  createVoice,
  deleteVoice,
  getVoice,
  listVoices,
  replaceVoice,
  updateVoice as updateOperation,
} from '@calls/api-contract/operations/voices.operations';
import { Voice } from '@calls/api-contract/rest/voice';
import { withoutSecrets, withSecretsOf } from '@calls/api-contract/secrets';
import { onlyMember } from '@calls/call-lifecycle/creation/choose-voice';
import { openVoiceSettings, sealVoiceSettings } from '@calls/call-lifecycle/creation/stored-secrets';
import type { UrlGuard } from '@calls/call-lifecycle/creation/url-rules';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { languageLabel } from '@calls/providers/config/catalogue';
import type { CloneVoice } from '@calls/providers/tts/voice-cloning';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import {
  findVoice,
  insertVoice,
  updateVoice,
  voicesOf,
  withdrawVoice,
  type OwnVoice,
  type VoiceRow,
} from '@calls/store/tables/voices';
import { HttpProblem, invalidRequest, orNotFound } from '../problems/problem.ts';
import { isUpload, readUpload } from '../uploads/multipart.ts';
import { SAMPLE_FIELDS, VoiceClones } from '../voices/voice-clones.ts';
import type { StoredPreviews } from '../voices/stored-previews.ts';
import { languageTagIssues, voiceIssues } from '../voices/voice-rules.ts';
import type { ApiRouter } from './api-router.ts';
import type { Paging } from './paging.ts';

export interface VoiceRoutesDeps {
  db: Database;
  secretBox: SecretBox;
  outbound: UrlGuard;
  storedPreviews: StoredPreviews;
  cloneVoice: CloneVoice;
  paging: Paging;
  clock: Clock;
}

export function voiceRoutes(api: ApiRouter, deps: VoiceRoutesDeps): void {
  const { db, secretBox, outbound, storedPreviews, clock } = deps;
  const view = createVoiceView(deps.paging);
  const clones = new VoiceClones(deps);
  const rules = { issues: (body: unknown) => voiceIssues(body, outbound) };

  const visible = async (accountId: string, voiceId: string): Promise<VoiceRow> =>
    orNotFound('voice', await findVoice(db, accountId, voiceId));
  /** Throws unless the voice belongs to the account; public voices are shared by all accounts. */
  const own = async (accountId: string, voiceId: string): Promise<VoiceRow> => {
    const row = await visible(accountId, voiceId);
    if (row.account_id === null) {
      throw new HttpProblem(403, 'public_voice', 'Public voices cannot be replaced, changed or deleted.');
    }
    return row;
  };
  const given = (accountId: string, body: BodyOf<typeof updateOperation>): Partial<OwnVoice> => {
    const { name, description, primaryLanguage, definition } = body;
    const member = definition && onlyMember(definition);
    return {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(primaryLanguage !== undefined && {
        primaryLanguage,
        languageLabel: primaryLanguage === null ? null : languageLabel(primaryLanguage),
      }),
      ...(member && {
        provider: member.provider,
        settings: sealVoiceSettings(secretBox, accountId, member),
      }),
    };
  };
  const whole = (accountId: string, body: BodyOf<typeof createVoice>): OwnVoice => {
    const nothing = { description: null, primaryLanguage: null, languageLabel: null };
    return { ...nothing, ...given(accountId, body) } as OwnVoice;
  };

  const change = async (
    accountId: string,
    voiceId: string,
    to: (known: VoiceRow) => Partial<OwnVoice>,
  ): Promise<Voice> => {
    const known = await own(accountId, voiceId);
    return view(orNotFound('voice', await updateVoice(db, accountId, voiceId, to(known))));
  };
  const withSecrets = <B extends BodyOf<typeof updateOperation>>(known: VoiceRow, body: B): B => {
    const before = { definition: { [known.engine]: openVoiceSettings(secretBox, known) } };
    return withSecretsOf(Voice.Patch, before, body);
  };

  api
    .list(listVoices, ({ accountId, query }) => {
      const { provider: providers, primaryLanguage, ...filter } = query;
      const issues = languageTagIssues('primaryLanguage', primaryLanguage);
      if (issues.length > 0) throw invalidRequest('query', issues);
      return { source: voicesOf(db, accountId, { ...filter, primaryLanguage, providers }), item: view };
    })
    .on(
      createVoice,
      async ({ accountId, body, http }) => {
        const added = isUpload(http.request)
          ? await clones.create(accountId, await readUpload(http.request, SAMPLE_FIELDS))
          : body;
        const createdAt = new Date(clock.wallMs());
        return view(
          await insertVoice(db, { ...whole(accountId, added), voiceId: newId(), accountId, createdAt }),
        );
      },
      rules,
    )
    .on(getVoice, async ({ accountId, params }) => view(await visible(accountId, params.voice_id)))
    .on(
      replaceVoice,
      ({ accountId, params, body }) =>
        change(accountId, params.voice_id, (known) => whole(accountId, withSecrets(known, body))),
      rules,
    )
    .on(
      updateOperation,
      ({ accountId, params, body }) =>
        change(accountId, params.voice_id, (known) => given(accountId, withSecrets(known, body))),
      rules,
    )
    .on(deleteVoice, async ({ accountId, params }) => {
      await own(accountId, params.voice_id);
      const now = new Date(clock.wallMs());
      orNotFound('voice', await withdrawVoice(db, accountId, params.voice_id, now));
      await storedPreviews.forget(params.voice_id);
    });
}

/** The API's voice object. */
function createVoiceView({ publicUrl }: { publicUrl: string }): (row: VoiceRow) => Voice {
  return (row) => ({
    voiceId: row.voice_id,
    name: row.name,
    description: row.description,
    primaryLanguage: row.primary_language,
    languageLabel: row.language_label,
    previewUrl: new URL(`/api/voices/${row.voice_id}/preview`, publicUrl).href,
    ownership: row.account_id === null ? 'public' : 'private',
    billingStyle: row.billing_style,
    provider: row.provider,
    definition: withoutSecrets(Voice.Response.properties.definition, definitionOf(row)),
  });
}

/** Built-in voices have no definition. */
function definitionOf(row: VoiceRow): Voice['definition'] {
  return row.account_id === null ? {} : { [row.engine]: row.engine_settings };
}
