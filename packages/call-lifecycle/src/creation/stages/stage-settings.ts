import type { NewStage } from '@calls/api-contract/rest/new-stage';
import { omit } from '@calls/foundation/omit';
import type { CallSettings, StageOverrides } from '@calls/api-contract/rest/call-settings';

/** They say one thing together: who names another voice takes over none of them. */
const VOICE_FIELDS = ['voice', 'externalVoice', 'voiceOverrides'] as const;

function namesVoice(named: { voice?: unknown; externalVoice?: unknown }): boolean {
  return named.voice !== undefined || named.externalVoice !== undefined;
}

/** What holds in a stage: the call's settings, as far as the stage doesn't change them. */
export function stageSettings(call: CallSettings, overrides: StageOverrides): CallSettings {
  const inherited = namesVoice(overrides) ? omit(call, ...VOICE_FIELDS) : call;
  return { ...inherited, ...overrides };
}

/** What a new stage changes of the call's settings, all in all: what `named` says, and what the stage before it changed. */
export function overridesOf(call: CallSettings, current: StageOverrides, named: NewStage): StageOverrides {
  const changes = omit(named, 'initialMessages', 'selectedTools');
  const inherited = namesVoice(changes) ? omit(current, ...VOICE_FIELDS) : current;
  const { voice } = stageSettings(call, inherited);
  return {
    ...inherited,
    // They are of a voice, which must not be another's.
    ...(changes.voiceOverrides !== undefined && voice !== undefined && { voice }),
    ...changes,
  };
}
