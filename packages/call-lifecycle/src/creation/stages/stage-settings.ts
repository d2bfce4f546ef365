import type { NewStage } from '@calls/api-contract/rest/call-records';
import { omit } from '@calls/foundation/omit';
import type { CallSettings, StageOverrides } from '@calls/api-contract/rest/call-settings';

/** These settings belong together: a stage that sets a voice inherits none of them. */
const VOICE_FIELDS = ['voice', 'externalVoice', 'voiceOverrides'] as const;

function namesVoice(named: { voice?: unknown; externalVoice?: unknown }): boolean {
  return named.voice !== undefined || named.externalVoice !== undefined;
}

/** The settings of a stage: those of the call with the overrides of the stage. */
export function stageSettings(call: CallSettings, overrides: StageOverrides): CallSettings {
  const inherited = namesVoice(overrides) ? omit(call, ...VOICE_FIELDS) : call;
  return { ...inherited, ...overrides };
}

/** The overrides of a new stage: those of the previous stage with the changes in `named`. */
export function overridesOf(call: CallSettings, current: StageOverrides, named: NewStage): StageOverrides {
  const changes = omit(named, 'initialMessages', 'selectedTools');
  const inherited = namesVoice(changes) ? omit(current, ...VOICE_FIELDS) : current;
  const { voice } = stageSettings(call, inherited);
  return {
    ...inherited,
    // Voice overrides apply to one voice, so the voice is set with them.
    ...(changes.voiceOverrides !== undefined && voice !== undefined && { voice }),
    ...changes,
  };
}
