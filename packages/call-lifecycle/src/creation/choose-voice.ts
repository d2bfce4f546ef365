import type { VoiceSelection } from '@calls/api-contract/call-spec';
import type { StartCallRequest } from '@calls/api-contract/rest/call';
import { ExternalVoice, type VoiceOverrides } from '@calls/api-contract/rest/external-voice';
import type { VoiceProvider } from '@calls/api-contract/vendors/tts-vendors';
import { isKeyedProvider } from '@calls/api-contract/vendors/tts-vendors';
import { isUuid } from '@calls/api-contract/validation/is-uuid';
import { compileValidator, type Issue } from '@calls/api-contract/validation/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import type { CallEventRow } from '@calls/store/tables/call-events';
import { findStoredStage } from '@calls/store/tables/call-stages';
import { findDefaultVoice, findVoicesByIdOrName, type VoiceRow } from '@calls/store/tables/voices';
import { openProviderKey } from './provider-key.ts';
import { openVoiceSettings } from './voice-secrets.ts';

export interface ChosenVoice {
  /** Of the catalogue; null for an external voice. */
  voiceId: string | null;
  /** With the account's key for its provider, where that takes one. */
  selection: VoiceSelection;
  /** Whether the request named it by an alias. */
  byAlias: VoiceAliasUse | null;
}

/** The name that a request has, and the name of the voice that speaks. */
export interface VoiceAliasUse {
  named: string;
  voice: string;
}

export interface VoiceDeps {
  db: Database;
  /** By well-known names that the catalogue may lack: the id or name of the catalogue voice that speaks instead. */
  voiceAliases: ReadonlyMap<string, string>;
  secretBox: SecretBox;
}

const definition = compileValidator('voice', ExternalVoice);

/** The voice that a request asks for, or what is wrong with it; undefined where the catalogue has none at all. */
export async function chooseVoice(
  deps: VoiceDeps,
  accountId: string,
  request: StartCallRequest,
): Promise<ChosenVoice | Issue | undefined> {
  const { voice: named, externalVoice, voiceOverrides, languageHint } = request;
  if (externalVoice) {
    const { provider, fields } = onlyMember(externalVoice);
    const path = `externalVoice.${provider}`;
    return withKey(deps, accountId, path, {
      voiceId: null,
      selection: { engine: provider, settings: fields },
      byAlias: null,
    });
  }
  if (named === undefined) {
    const voice = await findDefaultVoice(deps.db, languageHint ?? null);
    return voice && withKey(deps, accountId, 'voice', chosen(deps, voice, {}));
  }
  const { found, byAlias } = await findNamed(deps, accountId, named);
  const [voice, second] = found;
  if (!voice) return { path: 'voice', message: 'must be the id or the name of a voice in the catalogue' };
  if (second) return { path: 'voice', message: 'must be an id, as several voices have this name' };
  if (!voiceOverrides) return withKey(deps, accountId, 'voice', { ...chosen(deps, voice, {}), byAlias });
  const { provider, fields } = onlyMember(voiceOverrides);
  if (provider === voice.provider)
    return withKey(deps, accountId, 'voice', { ...chosen(deps, voice, fields), byAlias });
  const whose = voice.provider === null ? 'has none' : `is one of ${voice.provider}`;
  return {
    path: `voiceOverrides.${provider}`,
    message: `must be of the voice's provider; this voice ${whose}`,
  };
}

function chosen({ secretBox }: VoiceDeps, voice: VoiceRow, overrides: object): ChosenVoice {
  const own = openVoiceSettings(secretBox, voice);
  const settings = overlaid(own, overrides);
  return { voiceId: voice.voice_id, selection: { engine: voice.engine, settings }, byAlias: null };
}

/** `overrides` over `own`, field by field also within fields that are objects; lists are taken as a whole. */
export function overlaid(own: object, overrides: object): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...own };
  for (const [name, value] of Object.entries(overrides) as [string, unknown][]) {
    const known = fields[name];
    fields[name] = isFields(known) && isFields(value) ? overlaid(known, value) : value;
  }
  return fields;
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function withKey(
  { db, secretBox }: Pick<VoiceDeps, 'db' | 'secretBox'>,
  accountId: string,
  path: string,
  voice: ChosenVoice,
): Promise<ChosenVoice | Issue> {
  const { engine, settings } = voice.selection;
  const isDefined = engine in ExternalVoice.properties;
  const [unusable] = isDefined ? definition.issues({ [engine]: settings }) : [];
  if (unusable) return voice.voiceId === null ? inExternalVoice(unusable) : inCatalogueVoice(unusable);
  if (!isKeyedProvider(engine)) return voice;
  const apiKey = await openProviderKey(db, secretBox, accountId, engine);
  if (apiKey === null) return { path, message: `needs a key for ${engine}, and the account has none` };
  return { ...voice, selection: { engine, settings: { ...settings, apiKey } } };
}

function inExternalVoice({ path, message }: Issue): Issue {
  return { path: `externalVoice.${path}`, message };
}

/** Its definition was stored by an earlier release, or the overrides break it. */
function inCatalogueVoice({ path, message }: Issue): Issue {
  return { path: 'voice', message: `has an unusable definition: ${path} ${message}` };
}

type VoiceNote = Pick<CallEventRow, 'severity' | 'type' | 'text' | 'extras'>;

/** What a call event says of a voice that was named by an alias; null where none was. */
export function voiceAliasNote(used: VoiceAliasUse | null): VoiceNote | null {
  if (!used) return null;
  const text = `No voice is called ${used.named}; ${used.voice} speaks instead.`;
  return { severity: 'info', type: 'voice_alias_used', text, extras: { ...used } };
}

/** The same of the voice that a stage brings. */
export async function stageVoiceNote(
  deps: Pick<VoiceDeps, 'db' | 'voiceAliases'>,
  stage: { accountId: string; callId: string; stageId: string },
): Promise<VoiceNote | null> {
  const { overrides } = (await findStoredStage(deps.db, stage.callId, stage.stageId)) ?? {};
  if (overrides?.voice === undefined) return null;
  const { byAlias } = await findNamed(deps, stage.accountId, overrides.voice);
  return voiceAliasNote(byAlias);
}

/** Voices that are called so win over an alias, the account's own and the catalogue's. */
async function findNamed(
  { db, voiceAliases }: Pick<VoiceDeps, 'db' | 'voiceAliases'>,
  accountId: string,
  named: string,
): Promise<{ found: VoiceRow[]; byAlias: VoiceAliasUse | null }> {
  const found = await findVoices(db, accountId, named);
  const alias = voiceAliases.get(named);
  if (found.length > 0 || alias === undefined) return { found, byAlias: null };
  const standIns = (await findVoices(db, accountId, alias)).filter((voice) => voice.account_id === null);
  const [voice] = standIns;
  return { found: standIns, byAlias: voice ? { named, voice: voice.name } : null };
}

/** An id wins over a name. */
async function findVoices(db: Database, accountId: string, named: string): Promise<VoiceRow[]> {
  const byId = isUuid(named) ? await findVoicesByIdOrName(db, accountId, { voiceId: named }) : [];
  return byId.length > 0 ? byId : findVoicesByIdOrName(db, accountId, { name: named });
}

/** The one provider that a valid definition is of, and the fields for it. */
export function onlyMember(voice: ExternalVoice | VoiceOverrides): {
  provider: VoiceProvider;
  fields: Record<string, unknown>;
} {
  const [entry] = Object.entries(voice) as [VoiceProvider, Record<string, unknown>][];
  if (!entry) throw new Error('a valid ExternalVoice has exactly one key');
  return { provider: entry[0], fields: entry[1] };
}
